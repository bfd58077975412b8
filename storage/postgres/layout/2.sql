-- An object of up to 8 KB stays in a page of the table. The page has room for the next version of an object of 2 KB, so an update reuses the
-- space of earlier versions without waiting for a vacuum.
ALTER TABLE objects SET (toast_tuple_target = 8160, fillfactor = 60);
