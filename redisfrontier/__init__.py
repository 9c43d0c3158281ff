"""A web crawl frontier in Redis: which URI is fetched next, when, and by whom."""

__version__ = "0.1.0"
