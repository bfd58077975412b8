-- The plans of a commit do not depend on its arguments. Postgres would still plan most commits again, because it estimates fewer rows for the
-- arrays at hand than for unknown ones. Planning took a third of the time of a commit.
ALTER FUNCTION commit_groups SET plan_cache_mode = force_generic_plan;
