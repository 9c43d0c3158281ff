"""What happens to a URI before it is scheduled: scope, queue, cost, precedence, directive, sheets; all of it pure."""
