"""The files of the page, sent as they are; a package, so that they are installed with the code."""
