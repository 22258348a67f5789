"""The ports on real ground."""
