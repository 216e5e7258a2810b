-- backed_up_at is when the user last downloaded a complete backup; NULL if never.
ALTER TABLE alert_states ADD COLUMN backed_up_at BIGINT;
