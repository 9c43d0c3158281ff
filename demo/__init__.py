"""`make demo`: a real crawl of local sites by three worker processes, one of them killed, and an account of what happened."""
