"""An example of a search tool in a package of its own."""
