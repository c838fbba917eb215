package store

// labelledLesson and labelledChange are the small labelled set on which the
// weights of recall were chosen: what a team would teach, and changes with
// the lessons that a reviewer would want to see beside them. Changes without
// any are there to bound what is recalled for nothing.
type labelledLesson struct {
	name  string
	text  string
	paths []string
	about []string
}

type labelledChange struct {
	name  string
	paths []string
	lines string // added lines and the title
	want  []string
}

var labelledLessons = []labelledLesson{
	{"money-rounding", "Money is rounded half-even with roundHalfEven, never truncated", nil, []string{"currency", "price", "decimal"}},
	{"money-unit", "Amounts are integers in cents; a float for an amount is a bug", []string{"services/billing/**"}, nil},
	{"vat-table", "VAT rates come from the rate table by country and date, no percentage in code", []string{"services/billing/tax/**"}, []string{"tax"}},
	{"invoice-number", "Invoice numbers have no gaps: take them from the sequence inside the same transaction", nil, []string{"numbering"}},
	{"retry-backoff", "Retries of outgoing HTTP calls use exponential backoff with jitter and stop after five attempts", nil, []string{"timeout"}},
	{"webhook-signature", "Verify the webhook signature before parsing the body", []string{"services/webhooks/**"}, []string{"hmac"}},
	{"webhook-idempotent", "Webhook handlers are idempotent: deduplicate by delivery id", []string{"services/webhooks/**"}, nil},
	{"log-pii", "Never log an email address or phone number; log the user id instead", nil, []string{"logger", "privacy", "gdpr"}},
	{"log-levels", "Logger.error is for what wakes somebody up; expected failures are logged as warnings", nil, nil},
	{"migrations-forward", "Database migrations are forward only and never drop a column in the release that stops using it", []string{"db/migrations/**"}, nil},
	{"migrations-lock", "Create indexes concurrently; a plain CREATE INDEX locks the orders table", []string{"db/migrations/**"}, nil},
	{"orders-status", "Order status changes go through OrderStateMachine.transition, no direct update of the status column", nil, nil},
	{"clock", "Inject the clock; tests use newFakeClock instead of sleeping", nil, []string{"time", "flaky"}},
	{"utc", "Timestamps are stored and compared in UTC, converted to the user's zone only in the view", nil, []string{"timezone"}},
	{"feature-flags", "A feature flag has an owner and an expiry date in flags.yaml", []string{"config/flags.yaml"}, nil},
	{"api-pagination", "List endpoints paginate by cursor; offset pagination times out on large tenants", []string{"api/**"}, nil},
	{"api-errors", "API errors are problem+json with a stable code, message texts may change", []string{"api/**"}, nil},
	{"api-breaking", "Removing or renaming a field of a public response needs a new API version", []string{"api/openapi.yaml"}, nil},
	{"tenant-scope", "Each query is scoped by tenant_id; use scopedRepository and not the raw connection", nil, []string{"multitenancy"}},
	{"sql-params", "Build SQL with bound parameters, string concatenation in a query is refused in review", nil, []string{"injection"}},
	{"password-hash", "Passwords are hashed with argon2id from the auth package, bcrypt is legacy", nil, []string{"login", "credential"}},
	{"session-cookie", "Session cookies are HttpOnly, Secure and SameSite=Lax", nil, nil},
	{"csrf", "Forms carry the CSRF token helper; exemptions are listed in csrf_exempt.py with a reason", []string{"web/**"}, nil},
	{"react-keys", "List items need a stable key from the data, never the array index", []string{"web/src/**/*.tsx"}, nil},
	{"i18n", "User visible strings go through the translate helper; add the key to en.json first", []string{"web/src/**"}, []string{"localisation", "label"}},
	{"a11y-buttons", "Icon buttons need an aria-label", []string{"web/src/components/**"}, []string{"accessibility"}},
	{"bundle-lodash", "Import single lodash functions, the whole package doubles the bundle", []string{"web/**"}, nil},
	{"cache-invalidate", "Invalidate the catalog cache by product id after a price update, not the whole cache", nil, []string{"redis"}},
	{"cache-ttl", "Cache entries always have a TTL with jitter against stampedes", nil, nil},
	{"queue-poison", "Consumers move a poison message to the dead letter queue after three deliveries", nil, []string{"kafka", "sqs"}},
	{"queue-order", "Events of one aggregate use the aggregate id as partition key to keep their order", nil, []string{"kafka"}},
	{"goroutine-context", "Goroutines take a context and end when it is cancelled", []string{"**/*.go"}, nil},
	{"go-errors-wrap", "Wrap errors with the operation and %w so that callers can match them", nil, []string{"errors.Is"}},
	{"python-typing", "Public functions of the scheduler package have full type annotations", []string{"scheduler/**/*.py"}, nil},
	{"docker-pin", "Base images are pinned by digest and updated by the weekly job", []string{"**/Dockerfile"}, nil},
	{"terraform-state", "Stateful resources carry prevent_destroy in their lifecycle block", []string{"infra/**/*.tf"}, []string{"terraform"}},
	{"ci-cache", "CI caches are keyed by lockfile hash; restoring by prefix poisoned a release once", []string{".github/workflows/**"}, nil},
	{"search-reindex", "A change of the analyzer mapping needs a reindex of the search cluster, announce it in the runbook", nil, []string{"elasticsearch"}},
	{"uploads-scan", "Uploaded files are scanned for malware before their URL is shared", nil, []string{"attachment", "antivirus"}},
	{"email-templates", "Mail templates have a plain text part, and unsubscribe links in newsletters", []string{"mail/templates/**"}, []string{"email"}},
}

var labelledChanges = []labelledChange{
	{"rounds a price", []string{"shop/price.go"}, "func roundPrice(p decimal.Decimal) decimal.Decimal {\n return p.Truncate(2) // round to cents", []string{"money-rounding", "goroutine-context"}},
	{"adds a float amount", []string{"services/billing/invoice.go"}, "type Line struct {\n Amount float64\n}", []string{"money-unit", "goroutine-context"}},
	{"adds a VAT percentage", []string{"services/billing/tax/vat.go"}, "const germanVAT = 0.19\nreturn amount * germanVAT", []string{"vat-table", "money-unit", "goroutine-context"}},
	{"numbers invoices", []string{"services/billing/number.go"}, "func nextInvoiceNumber(tx *sql.Tx) (int64, error) {\n return tx.QueryRow(`select max(number)+1 from invoices`)", []string{"invoice-number", "money-unit", "goroutine-context"}},
	{"retries an HTTP call", []string{"clients/shipping.py"}, "for attempt in range(100):\n    response = session.get(url)\n    if response.ok: break\n    # retry the http call at once", []string{"retry-backoff"}},
	{"parses a webhook", []string{"services/webhooks/stripe.py"}, "def handle(request):\n    event = json.loads(request.body)\n    process(event)", []string{"webhook-signature", "webhook-idempotent"}},
	{"logs an email", []string{"accounts/signup.py"}, "logger.info('new signup %s', user.email)\nlogger.debug('phone %s', user.phone_number)", []string{"log-pii"}},
	{"logs an expected failure as error", []string{"accounts/avatar.js"}, "logger.error('avatar not found, expected for new users', failure)", []string{"log-levels"}},
	{"drops a column", []string{"db/migrations/0042_drop_legacy.sql"}, "ALTER TABLE customers DROP COLUMN legacy_code;", []string{"migrations-forward", "migrations-lock"}},
	{"creates an index", []string{"db/migrations/0043_orders_index.sql"}, "CREATE INDEX orders_customer ON orders (customer_id);", []string{"migrations-lock", "migrations-forward"}},
	{"sets the status of an order", []string{"orders/service.rb"}, "order.update_column(:status, 'shipped') # change order status directly", []string{"orders-status"}},
	{"sleeps in a test", []string{"jobs/expiry_test.kt"}, "Thread.sleep(5000) // wait for the clock\nassertTrue(job.done) // flaky", []string{"clock"}},
	{"stores a local timestamp", []string{"calendar/event.java"}, "LocalDateTime timestamp = LocalDateTime.now(); // stored in the user's timezone", []string{"utc"}},
	{"adds a flag", []string{"config/flags.yaml"}, "new_checkout:\n  enabled: false", []string{"feature-flags"}},
	{"adds a list endpoint", []string{"api/users/list.go"}, "offset := r.URL.Query().Get(\"offset\")\nrows := repo.List(offset, limit)", []string{"api-pagination", "api-errors", "goroutine-context"}},
	{"renames a response field", []string{"api/openapi.yaml"}, "-    userName:\n+    login:\n      type: string", []string{"api-breaking", "api-pagination", "api-errors"}},
	{"queries without a tenant", []string{"reports/revenue.ts"}, "const rows = await connection.query('select sum(total) from orders') // raw connection for speed", []string{"tenant-scope"}},
	{"concatenates SQL", []string{"reports/export.py"}, "query = \"select * from customers where name = '\" + name + \"'\"  # string concatenation\ncursor.execute(query)", []string{"sql-params"}},
	{"hashes a password", []string{"accounts/password.go"}, "hash, err := bcrypt.GenerateFromPassword(password, 10)\nif err != nil { return err }", []string{"password-hash", "goroutine-context"}},
	{"sets a session cookie", []string{"accounts/login.php"}, "setcookie('session', $id); // session cookie for login", []string{"session-cookie"}},
	{"exempts a form", []string{"web/views/contact.py"}, "@csrf_exempt\ndef contact(request): return render(request, 'form.html')", []string{"csrf", "bundle-lodash"}},
	{"renders a list by index", []string{"web/src/components/OrderList.tsx"}, "{orders.map((o, index) => <li key={index}>{o.title}</li>)}", []string{"react-keys", "i18n", "a11y-buttons", "csrf", "bundle-lodash"}},
	{"adds an icon button", []string{"web/src/components/Toolbar.tsx"}, "<button><TrashIcon/></button>\n<button>Delete everything</button>", []string{"a11y-buttons", "i18n", "react-keys", "csrf", "bundle-lodash"}},
	{"updates a price", []string{"catalog/update.go"}, "func updatePrice(productID string, price Price) error {\n cache.FlushAll() // catalog cache", []string{"cache-invalidate", "goroutine-context"}},
	{"caches without end", []string{"catalog/cache.rs"}, "cache.set(key, entry, None); // entries stay without ttl", []string{"cache-ttl"}},
	{"consumes a queue", []string{"workers/consumer.scala"}, "consumer.poll().foreach(message => process(message)) // redeliver forever\nqueue.requeue(message)", []string{"queue-poison"}},
	{"publishes an event", []string{"orders/publisher.scala"}, "producer.send(new ProducerRecord(topic, null, event)) // kafka partition key unset for aggregate events", []string{"queue-order"}},
	{"starts a goroutine", []string{"cmd/worker/main.go"}, "go func() { for { poll() } }()", []string{"goroutine-context"}},
	{"returns a bare error", []string{"storage/blob.go"}, "if err != nil {\n return errors.New(\"failed operation\") // callers match on wrapped errors", []string{"go-errors-wrap", "goroutine-context"}},
	{"adds an untyped function", []string{"scheduler/cron/parse.py"}, "def parse(expression):\n    return Schedule(expression)", []string{"python-typing"}},
	{"changes a base image", []string{"services/mailer/Dockerfile"}, "FROM debian:latest", []string{"docker-pin"}},
	{"adds a database in terraform", []string{"infra/prod/db.tf"}, "resource \"aws_db_instance\" \"main\" {\n  engine = \"postgres\"\n}", []string{"terraform-state"}},
	{"caches in CI", []string{".github/workflows/test.yml"}, "- uses: actions/cache@v4\n  with:\n    key: deps\n    restore-keys: deps-", []string{"ci-cache"}},
	{"changes an analyzer", []string{"search/mapping.json"}, "\"analyzer\": {\"folding\": {\"tokenizer\": \"standard\"}}", []string{"search-reindex"}},
	{"shares an upload", []string{"files/upload.py"}, "url = storage.share(uploaded_file)\nreturn {'attachment': url}", []string{"uploads-scan"}},
	{"adds a mail template", []string{"mail/templates/welcome.html"}, "<h1>Welcome</h1>", []string{"email-templates"}},
	{"formats a currency", []string{"shop/format.kt"}, "val shown = currency.symbol + total.decimal.setScale(2, RoundingMode.DOWN)", []string{"money-rounding"}},
	{"strips tags by a regular expression", []string{"reports/search_filter.rb"}, "where(\"title LIKE '%\" + params[:q] + \"%'\") # sql injection?", []string{"sql-params"}},
	{"hashes credentials at login", []string{"accounts/Credential.cs"}, "var hashed = SHA256.HashData(credential.Secret); // login", []string{"password-hash"}},
	{"sends a message again", []string{"workers/redelivery.go"}, "if delivery.Attempt > 50 { deadLetter(msg) }", []string{"queue-poison", "goroutine-context"}},
	{"asks for a user's language", []string{"web/src/pages/Settings.tsx"}, "<label>Choose your language</label>", []string{"i18n", "react-keys", "csrf", "bundle-lodash"}},
	{"waits in a test", []string{"jobs/retention.spec.ts"}, "await sleep(200)\nexpect(queue.length).toBe(0)", []string{"clock"}},

	{"a readme typo", []string{"README.md"}, "Teh quick start guide shows how to install the tool", nil},
	{"a new colour", []string{"design/tokens.css"}, "--accent: #336699;\n--accent-hover: #224488;", nil},
	{"bumps a dependency", []string{"requirements.txt"}, "requests==2.32.4", nil},
	{"a geometry helper", []string{"lib/geometry.rs"}, "fn area(width: f64, height: f64) -> f64 { width * height }", nil},
	{"a changelog line", []string{"CHANGELOG.md"}, "## 4.2.0\n- Faster start of the desktop app", nil},
	{"a graph algorithm", []string{"lib/graph/dijkstra.cpp"}, "std::priority_queue<Node> frontier;\nwhile (!frontier.empty()) { auto node = frontier.top(); visit(node.neighbours); }", nil},
	{"a sound setting", []string{"desktop/audio.swift"}, "var volume: Float = 0.8\nplayer.setVolume(volume, fade: true)", nil},
	{"a licence header", []string{"lib/string.c"}, "/* SPDX-License-Identifier: Apache-2.0 */", nil},
	{"a parser state", []string{"lib/parser/lexer.ml"}, "| Ident name -> advance lexer; Token.Ident name\n| Number n -> Token.Literal n", nil},
	{"a map view", []string{"mobile/map_view.dart"}, "Marker(position: LatLng(52.5, 13.4), icon: pin, rotation: heading)", nil},
	{"a print style", []string{"design/print.css"}, "@media print { nav { display: none } body { font-size: 11pt } }", nil},
	{"a benchmark", []string{"bench/sort.zig"}, "const timer = try std.time.Timer.start();\nsort(items); std.debug.print(\"{d}\", .{timer.read()});", nil},
}
