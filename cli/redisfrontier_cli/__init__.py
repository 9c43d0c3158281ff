"""The commands of redisfrontier: one noun a module."""
