"""What is known of an asset: its title, its address, its labels and its times."""
