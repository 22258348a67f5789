-- The catalogue of metrics as figure 5.1 of the metric-migration thesis has it, for MySQL and MariaDB.
-- Foreign keys have no ON DELETE CASCADE: these databases fire no trigger for rows that a cascade removes.

CREATE TABLE metric_groups (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(190) NOT NULL UNIQUE
) ENGINE = InnoDB CHARACTER SET utf8mb4;

CREATE TABLE dimensions (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(190) NOT NULL UNIQUE
) ENGINE = InnoDB CHARACTER SET utf8mb4;

CREATE TABLE metrics (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(190) NOT NULL UNIQUE,
  metric_group_id BIGINT NULL,
  created_at DATETIME(6) NOT NULL,
  created_by VARCHAR(100) NOT NULL,
  deprecated_at DATETIME(6) NULL,
  deprecated_by VARCHAR(100) NULL,
  deprecated_reason VARCHAR(1000) NULL,
  KEY metrics_of_group (metric_group_id),
  FOREIGN KEY (metric_group_id) REFERENCES metric_groups (id)
) ENGINE = InnoDB CHARACTER SET utf8mb4;

CREATE TABLE metric_version (
  metric_id BIGINT NOT NULL,
  version INT NOT NULL,
  value_type ENUM ('SCALAR', 'WEIGHTED_AVERAGE', 'HYBRID', 'PERCENTILE') NOT NULL,
  aggregation_style ENUM ('SUM', 'LAST_DAY_OF_PERIOD', 'PERCENTILE') NOT NULL,
  aggregation_param DECIMAL(10, 4) NULL,
  chained_metric BIGINT NULL,
  chain_cutoff_date DATE NULL,
  hybrid_formula TEXT NULL,
  updated_at DATETIME(6) NOT NULL,
  updated_by VARCHAR(100) NOT NULL,
  PRIMARY KEY (metric_id, version),
  KEY versions_of_chained (chained_metric),
  FOREIGN KEY (metric_id) REFERENCES metrics (id),
  FOREIGN KEY (chained_metric) REFERENCES metrics (id)
) ENGINE = InnoDB CHARACTER SET utf8mb4;

CREATE TABLE dimensions_metric_groups (
  dimension_id BIGINT NOT NULL,
  metric_group_id BIGINT NOT NULL,
  PRIMARY KEY (dimension_id, metric_group_id),
  KEY dimensions_of_group (metric_group_id),
  FOREIGN KEY (dimension_id) REFERENCES dimensions (id),
  FOREIGN KEY (metric_group_id) REFERENCES metric_groups (id)
) ENGINE = InnoDB CHARACTER SET utf8mb4;

CREATE TABLE metric_relationships (
  consumer_metric BIGINT NOT NULL,
  consumed_metric BIGINT NOT NULL,
  PRIMARY KEY (consumer_metric, consumed_metric),
  KEY consumers (consumed_metric),
  FOREIGN KEY (consumer_metric) REFERENCES metrics (id),
  FOREIGN KEY (consumed_metric) REFERENCES metrics (id)
) ENGINE = InnoDB CHARACTER SET utf8mb4;
