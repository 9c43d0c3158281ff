"""Lets `python -m redisfrontier_cli` be the command."""

from redisfrontier_cli.main import main

if __name__ == "__main__":
    main(prog_name="redisfrontier")
