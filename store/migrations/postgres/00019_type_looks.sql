-- +goose Up

-- The icon of a type, one of notifier.TypeIcons; empty: it follows from the slug.
ALTER TABLE notice_types ADD COLUMN icon TEXT NOT NULL DEFAULT '';

-- The colour of a type's icon, one of notifier.TypeColors; empty: it follows from the slug.
ALTER TABLE notice_types ADD COLUMN color TEXT NOT NULL DEFAULT '';
