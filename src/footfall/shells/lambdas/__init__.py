"""The functions on AWS Lambda, one module each."""
