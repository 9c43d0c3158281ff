"""What operators ask of a running crawl."""
