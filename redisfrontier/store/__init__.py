"""The only package that talks to Redis."""
