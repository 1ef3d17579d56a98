"""Sound bounds on what a network can say over a whole box of images, and proofs of agreement from them."""
