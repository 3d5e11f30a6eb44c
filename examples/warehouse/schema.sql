-- The part of a warehouse system that the rules query. It also works on PostgreSQL.
CREATE TABLE stock (
    location  TEXT    NOT NULL PRIMARY KEY,
    warehouse TEXT    NOT NULL,
    item      TEXT    NOT NULL,
    units     INTEGER NOT NULL
);

INSERT INTO stock (location, warehouse, item, units) VALUES
    ('A-01-1', '119240', '40-118 gloves, large',   120),
    ('A-01-2', '119240', '40-119 gloves, medium',   64),
    ('A-07-3', '119240', '52-001 cable ties',        9),
    ('B-02-1', '119240', '61-300 packing tape',     48),
    ('C-11-4', '119250', '40-118 gloves, large',    31),
    ('C-12-1', '119250', '77-020 pallet labels',     7);
