-- See the file of the same name for PostgreSQL. SQLite cannot rename an index.
ALTER TABLE trade_marks RENAME TO trade_annotations;
ALTER TABLE orphaned_marks RENAME TO orphaned_annotations;
DROP INDEX trade_marks_account;
CREATE INDEX trade_annotations_account ON trade_annotations (user_id, account_id);
