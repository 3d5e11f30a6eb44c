package handlers

// PlainCell is the escaping of the cells of an export.
var PlainCell = plainCell
