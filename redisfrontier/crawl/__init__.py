"""What a crawl is made of: definition, seeds, live settings."""
