package generate

// The words that names and texts are made of. Their numbers share no factor with
// the step of Name.
var (
	topics = []string{
		"data", "finance", "comms", "deploy", "research", "legal", "media", "security", "support", "travel",
		"health", "sales", "hiring", "storage", "energy", "mapping", "billing", "testing", "writing", "robotics",
	}
	verbs = []string{
		"parse", "merge", "check", "draft", "send", "summarise", "convert", "plan", "audit", "schedule", "clean", "rank", "route",
		"translate", "archive", "compare", "extract", "publish", "monitor", "estimate", "label", "redact", "reconcile", "forecast",
		"import", "export", "validate", "index", "split", "review", "sort", "track", "render", "sample", "trace", "group", "match",
		"restore", "measure", "explain",
	}
	qualities = []string{
		"daily", "quarterly", "encrypted", "shared", "broken", "nested", "remote", "draft", "signed", "partial", "regional",
		"overdue", "scanned", "public", "internal", "legacy", "monthly", "duplicate", "large", "urgent", "recurring", "verified",
		"raw", "streamed", "compressed", "multilingual", "historic", "seasonal", "cached", "anonymous", "external", "tagged",
		"grouped", "stale", "pending", "annotated", "archived", "weighted", "sparse", "hourly",
	}
	things = []string{
		"invoices", "contracts", "tickets", "calendars", "spreadsheets", "transcripts", "lanterns", "meetings", "logs", "photos",
		"certificates", "backups", "surveys", "receipts", "messages", "recipes", "shipments", "subscriptions", "warehouses",
		"playlists", "passports", "timesheets", "budgets", "portfolios", "incidents", "releases", "schemas", "pipelines",
		"notebooks", "citations", "patents", "maps", "sensors", "turbines", "prescriptions", "appointments", "auctions", "ledgers",
		"catalogues", "drawings", "blueprints", "captions", "podcasts", "translations", "glossaries", "questionnaires", "ferries",
		"quotations", "orders", "parcels", "vouchers", "permits", "licences", "addresses", "contacts", "coupons", "forecasts",
		"benchmarks", "dashboards", "alerts", "queues", "firewalls", "credentials", "manifests", "packages", "binaries", "branches",
		"commits", "migrations", "snapshots", "telemetry", "metrics", "traces", "interviews", "applications", "payrolls", "taxes",
		"audits", "complaints", "reviews", "itineraries", "bookings", "tariffs", "meters", "routes", "vehicles", "drivers",
		"samples", "genomes", "proteins", "telescopes", "galleries", "exhibits", "lectures", "syllabuses", "grades", "essays",
		"poems", "lyrics", "scores",
	}
	plain = []string{
		"the", "file", "result", "value", "before", "after", "every", "record", "field", "name", "date", "list", "first", "then",
		"answer", "when", "where", "without", "change", "keep", "source", "person", "report", "number", "line", "order", "wrong",
		"empty", "missing", "twice", "total", "column", "request", "reply", "limit", "step", "reason", "place", "time", "format",
		"text", "reader", "whole", "small", "other", "same", "last", "next", "open", "close",
	}
)
