-- Page hits as figure 4.4 of the page-hit-counter thesis has them: one table for each period, for PostgreSQL.

CREATE TABLE page_hit_justnow (
  id BIGSERIAL NOT NULL PRIMARY KEY,
  hit_amount BIGINT,
  asset_id BIGINT,
  resource_type VARCHAR(256),
  section_id BIGINT,
  hit_stmp TIMESTAMP WITH TIME ZONE,
  paid_type VARCHAR(32),
  UNIQUE (asset_id, resource_type, section_id, hit_stmp, paid_type)
);

CREATE TABLE page_hit_day (
  id BIGSERIAL NOT NULL PRIMARY KEY,
  hit_amount BIGINT,
  asset_id BIGINT,
  resource_type VARCHAR(256),
  section_id BIGINT,
  hit_stmp TIMESTAMP WITH TIME ZONE,
  paid_type VARCHAR(32),
  UNIQUE (asset_id, resource_type, section_id, hit_stmp, paid_type)
);

CREATE TABLE page_hit_week (
  id BIGSERIAL NOT NULL PRIMARY KEY,
  hit_amount BIGINT,
  asset_id BIGINT,
  resource_type VARCHAR(256),
  section_id BIGINT,
  hit_stmp TIMESTAMP WITH TIME ZONE,
  paid_type VARCHAR(32),
  UNIQUE (asset_id, resource_type, section_id, hit_stmp, paid_type)
);
