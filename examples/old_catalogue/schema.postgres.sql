-- The catalogue of metrics as figure 5.1 of the metric-migration thesis has it, for PostgreSQL.

CREATE TABLE metric_groups (
  id BIGSERIAL NOT NULL PRIMARY KEY,
  name VARCHAR(190) NOT NULL UNIQUE
);

CREATE TABLE dimensions (
  id BIGSERIAL NOT NULL PRIMARY KEY,
  name VARCHAR(190) NOT NULL UNIQUE
);

CREATE TABLE metrics (
  id BIGSERIAL NOT NULL PRIMARY KEY,
  name VARCHAR(190) NOT NULL UNIQUE,
  metric_group_id BIGINT NULL,
  created_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  created_by VARCHAR(100) NOT NULL,
  deprecated_at TIMESTAMP(6) WITH TIME ZONE NULL,
  deprecated_by VARCHAR(100) NULL,
  deprecated_reason VARCHAR(1000) NULL,
  FOREIGN KEY (metric_group_id) REFERENCES metric_groups (id)
);
CREATE INDEX metrics_of_group ON metrics (metric_group_id);

CREATE TABLE metric_version (
  metric_id BIGINT NOT NULL,
  version INT NOT NULL,
  value_type VARCHAR(30) NOT NULL CHECK (value_type IN ('SCALAR', 'WEIGHTED_AVERAGE', 'HYBRID', 'PERCENTILE')),
  aggregation_style VARCHAR(30) NOT NULL CHECK (aggregation_style IN ('SUM', 'LAST_DAY_OF_PERIOD', 'PERCENTILE')),
  aggregation_param NUMERIC(10, 4) NULL,
  chained_metric BIGINT NULL,
  chain_cutoff_date DATE NULL,
  hybrid_formula TEXT NULL,
  updated_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  updated_by VARCHAR(100) NOT NULL,
  PRIMARY KEY (metric_id, version),
  FOREIGN KEY (metric_id) REFERENCES metrics (id),
  FOREIGN KEY (chained_metric) REFERENCES metrics (id)
);
CREATE INDEX versions_of_chained ON metric_version (chained_metric);

CREATE TABLE dimensions_metric_groups (
  dimension_id BIGINT NOT NULL,
  metric_group_id BIGINT NOT NULL,
  PRIMARY KEY (dimension_id, metric_group_id),
  FOREIGN KEY (dimension_id) REFERENCES dimensions (id),
  FOREIGN KEY (metric_group_id) REFERENCES metric_groups (id)
);
CREATE INDEX dimensions_of_group ON dimensions_metric_groups (metric_group_id);

CREATE TABLE metric_relationships (
  consumer_metric BIGINT NOT NULL,
  consumed_metric BIGINT NOT NULL,
  PRIMARY KEY (consumer_metric, consumed_metric),
  FOREIGN KEY (consumer_metric) REFERENCES metrics (id),
  FOREIGN KEY (consumed_metric) REFERENCES metrics (id)
);
CREATE INDEX consumers ON metric_relationships (consumed_metric);
