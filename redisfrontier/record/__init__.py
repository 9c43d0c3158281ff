"""Records, their stored form, and what clients exchange with the frontier."""
