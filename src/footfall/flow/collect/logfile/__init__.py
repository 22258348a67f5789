"""Access logs of other servers: lines become hits, and what is no hit is told apart by its reason."""
