-- Excursions depend on trading hours, which are known for more markets now. All are computed
-- again at the next request.
DELETE FROM trade_excursions;
DELETE FROM excursion_accounts;
