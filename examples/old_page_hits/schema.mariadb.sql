-- Page hits as figure 4.4 of the page-hit-counter thesis has them: one table for each period, for MySQL and MariaDB.

CREATE TABLE page_hit_justnow (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  hit_amount BIGINT,
  asset_id BIGINT,
  resource_type VARCHAR(256),
  section_id BIGINT,
  hit_stmp TIMESTAMP(6) NULL,
  paid_type VARCHAR(32),
  UNIQUE (asset_id, resource_type, section_id, hit_stmp, paid_type)
) ENGINE = InnoDB CHARACTER SET utf8mb4;

CREATE TABLE page_hit_day (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  hit_amount BIGINT,
  asset_id BIGINT,
  resource_type VARCHAR(256),
  section_id BIGINT,
  hit_stmp TIMESTAMP(6) NULL,
  paid_type VARCHAR(32),
  UNIQUE (asset_id, resource_type, section_id, hit_stmp, paid_type)
) ENGINE = InnoDB CHARACTER SET utf8mb4;

CREATE TABLE page_hit_week (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  hit_amount BIGINT,
  asset_id BIGINT,
  resource_type VARCHAR(256),
  section_id BIGINT,
  hit_stmp TIMESTAMP(6) NULL,
  paid_type VARCHAR(32),
  UNIQUE (asset_id, resource_type, section_id, hit_stmp, paid_type)
) ENGINE = InnoDB CHARACTER SET utf8mb4;
