-- What a trader adds to a trade is called annotations everywhere. Foreign keys
-- of other tables follow the new names. Constraints keep the names that
-- PostgreSQL gave them, which nothing refers to.
ALTER TABLE trade_marks RENAME TO trade_annotations;
ALTER TABLE orphaned_marks RENAME TO orphaned_annotations;
ALTER INDEX trade_marks_account RENAME TO trade_annotations_account;
