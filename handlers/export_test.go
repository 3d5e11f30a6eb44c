package handlers

// PlainCell escapes a cell of an export.
var PlainCell = plainCell
