"""Reports that people look at, made from results files; needs the extra `report`."""
