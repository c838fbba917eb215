package redact

import "encoding/base64"

// secretKinds are the kinds of credentials of the corpus, each in its present
// form.
func secretKinds() []secretKind {
	kinds := platformKinds()
	kinds = append(kinds, serviceKinds()...)
	return append(kinds, contextKinds()...)
}

func platformKinds() []secretKind {
	return []secretKind{
		bare("GitHub classic token", func(m maker) string { return "gh" + "p_" + m.alnum(36) }),
		bare("GitHub OAuth token", func(m maker) string { return "gh" + "o_" + m.alnum(36) }),
		bare("GitHub user token", func(m maker) string { return "gh" + "u_" + m.alnum(36) }),
		bare("GitHub refresh token", func(m maker) string { return "gh" + "r_" + m.alnum(76) }),
		bare("GitHub installation token", func(m maker) string { return "gh" + "s_" + m.alnum(36) }),
		bare("GitHub installation token, long", func(m maker) string { return "gh" + "s_" + m.num(7) + "_" + m.jwt() }),
		bare("GitHub fine-grained token", func(m maker) string { return "github" + "_pat_" + m.alnum(22) + "_" + m.alnum(59) }),
		bare("GitLab token", func(m maker) string { return "gl" + "pat-" + m.url(20) }),
		bare("GitLab token, routable", func(m maker) string { return "gl" + "pat-" + m.url(27) + ".01." + m.of(lowers+digits, 9) }),
		bare("GitLab deploy token", func(m maker) string { return "gl" + "dt-" + m.url(20) }),
		bare("GitLab runner token", func(m maker) string { return "gl" + "rt-" + m.url(20) }),
		bare("GitLab trigger token", func(m maker) string { return "gl" + "ptt-" + m.hex(40) }),
		bare("GitLab job token", func(m maker) string { return "gl" + "cbt-1a_" + m.url(20) }),
		bare("Slack bot token", func(m maker) string { return "xo" + "xb-" + m.num(12) + "-" + m.num(13) + "-" + m.alnum(24) }),
		bare("Slack user token", func(m maker) string {
			return "xo" + "xp-" + m.num(12) + "-" + m.num(12) + "-" + m.num(13) + "-" + m.hex(32)
		}),
		bare("Slack app token", func(m maker) string { return "xa" + "pp-1-A" + m.upper(10) + "-" + m.num(13) + "-" + m.hex(64) }),
		bare("Slack rotating token", func(m maker) string { return "xo" + "xe.xoxb-1-" + m.upper(163) }),
		bare("Slack webhook", func(m maker) string {
			return "https://hooks.sl" + "ack.com/services/T" + m.upper(9) + "/B" + m.upper(10) + "/" + m.alnum(24)
		}),
		bare("AWS key id", func(m maker) string { return "AK" + "IA" + m.of(base32s, 16) }),
		bare("AWS temporary key id", func(m maker) string { return "AS" + "IA" + m.of(base32s, 16) }),
		bare("Google API key", func(m maker) string { return "AI" + "za" + m.url(35) }),
		bare("Google OAuth client secret", func(m maker) string { return "GOC" + "SPX-" + m.url(28) }),
		bare("Google access token", func(m maker) string { return "ya" + "29.a0" + m.url(160) }),
		bare("Google refresh token", func(m maker) string { return "1/" + "/0" + m.of(digits, 1) + m.url(61) }),
		bare("Azure client secret", func(m maker) string { return m.alnum(3) + "8Q" + "~" + m.url(34) }),
		bare("Azure DevOps token", func(m maker) string { return m.alnum(52) + "JQQJ99" + m.alnum(18) + "AZ" + "DO" + m.alnum(4) }),
		bare("npm token", func(m maker) string { return "np" + "m_" + m.alnum(36) }),
		bare("npm token in UUID form", func(m maker) string { return "np" + "m_" + m.uuid() }),
		bare("PyPI token", func(m maker) string { return "pypi" + "-AgEIcHlwaS5vcmc" + m.url(120) }),
		bare("RubyGems key", func(m maker) string { return "ruby" + "gems_" + m.hex(48) }),
		bare("crates.io token", func(m maker) string { return "ci" + "o" + m.alnum(32) }),
		bare("Docker Hub token", func(m maker) string { return "dckr" + "_pat_" + m.url(27) }),
		bare("Docker Hub organisation token", func(m maker) string { return "dckr" + "_oat_" + m.url(32) }),
		bare("NuGet key", func(m maker) string { return "oy" + "2" + m.of(lowers+digits, 43) }),
		bare("DigitalOcean token", func(m maker) string { return "do" + "p_v1_" + m.hex(64) }),
		bare("Databricks token", func(m maker) string { return "da" + "pi" + m.hex(32) }),
		bare("Vault token", func(m maker) string { return "hv" + "s." + m.url(95) }),
		bare("Vault batch token", func(m maker) string { return "hv" + "b." + m.url(140) }),
		bare("Terraform token", func(m maker) string { return m.alnum(14) + ".atlas" + "v1." + m.url(67) }),
		bare("Pulumi token", func(m maker) string { return "pu" + "l-" + m.hex(40) }),
		bare("Heroku key", func(m maker) string { return "HRKU-" + "AA" + m.url(58) }),
		bare("Supabase token", func(m maker) string { return "sb" + "p_" + m.hex(40) }),
		bare("PlanetScale token", func(m maker) string { return "pscale" + "_tkn_" + m.url(43) }),
		bare("Cloudflare origin key", func(m maker) string { return "v1" + ".0-" + m.hex(24) + "-" + m.hex(146) }),
		bare("Fly token", func(m maker) string { return "fo" + "1_" + m.url(43) }),
		bare("Fly macaroon", func(m maker) string { return "fm" + "2_" + m.base64(120) }),
		bare("Artifactory token", func(m maker) string { return "cmVm" + "dGtu" + m.alnum(56) }),
		bare("Artifactory key", func(m maker) string { return "AK" + "Cp8" + m.alnum(69) }),
		bare("Atlassian token", func(m maker) string { return "ATATT" + "3xFfGF0" + m.url(176) + "=" + m.upper(8) }),
		bare("Bitbucket app password", func(m maker) string { return "AT" + "BB" + m.alnum(32) }),
		bare("age identity", func(m maker) string { return "AGE-" + "SECRET-KEY-1" + m.of(bech32s, 58) }),
		bare("age identity, post-quantum", func(m maker) string { return "AGE-" + "SECRET-KEY-PQ-1" + m.of(bech32s, 58) }),
		bare("RSA private key", func(m maker) string { return m.pem("RSA " + "PRIVATE KEY") }),
		bare("EC private key", func(m maker) string { return m.pem("EC " + "PRIVATE KEY") }),
		bare("PKCS #8 private key", func(m maker) string { return m.pem("PRIV" + "ATE KEY") }),
		bare("encrypted private key", func(m maker) string { return m.pem("ENCRYPTED " + "PRIVATE KEY") }),
		bare("SSH private key", func(m maker) string { return m.pem("OPENSSH " + "PRIVATE KEY") }),
		bare("PGP private key", func(m maker) string { return m.pem("PGP " + "PRIVATE KEY BLOCK") }),
		bare("JSON web token", func(m maker) string { return m.jwt() }),
	}
}

func serviceKinds() []secretKind {
	return []secretKind{
		bare("OpenAI project key", func(m maker) string { return "sk" + "-proj-" + m.url(74) + "T3Blbk" + "FJ" + m.url(74) }),
		bare("OpenAI key", func(m maker) string { return "sk" + "-" + m.alnum(20) + "T3Blbk" + "FJ" + m.alnum(20) }),
		bare("OpenAI service account key", func(m maker) string { return "sk" + "-svcacct-" + m.url(74) + "T3Blbk" + "FJ" + m.url(74) }),
		bare("OpenAI admin key", func(m maker) string { return "sk" + "-admin-" + m.url(58) + "T3Blbk" + "FJ" + m.url(58) }),
		bare("Anthropic key", func(m maker) string { return "sk" + "-ant-api03-" + m.url(93) + "AA" }),
		bare("Anthropic admin key", func(m maker) string { return "sk" + "-ant-admin01-" + m.url(93) + "AA" }),
		bare("Anthropic OAuth token", func(m maker) string { return "sk" + "-ant-oat01-" + m.url(86) + "-AA" }),
		bare("Anthropic refresh token", func(m maker) string { return "sk" + "-ant-ort01-" + m.url(86) + "-AA" }),
		bare("Hugging Face token", func(m maker) string { return "hf" + "_" + m.of(alnums[:52], 34) }),
		bare("Groq key", func(m maker) string { return "gs" + "k_" + m.alnum(52) }),
		bare("xAI key", func(m maker) string { return "xa" + "i-" + m.alnum(80) }),
		bare("OpenRouter key", func(m maker) string { return "sk" + "-or-v1-" + m.hex(64) }),
		bare("Replicate token", func(m maker) string { return "r" + "8_" + m.alnum(37) }),
		bare("Perplexity key", func(m maker) string { return "pp" + "lx-" + m.alnum(48) }),
		bare("LangSmith key", func(m maker) string { return "ls" + "v2_pt_" + m.hex(32) + "_" + m.hex(10) }),
		bare("Stripe live key", func(m maker) string { return "sk" + "_live_" + m.alnum(99) }),
		bare("Stripe restricted key", func(m maker) string { return "rk" + "_live_" + m.alnum(24) }),
		bare("Stripe webhook secret", func(m maker) string { return "wh" + "sec_" + m.alnum(32) }),
		bare("Square token", func(m maker) string { return "sq0" + "atp-" + m.url(22) }),
		bare("Shopify token", func(m maker) string { return "shp" + "at_" + m.hex(32) }),
		bare("Twilio key", func(m maker) string { return "S" + "K" + m.hex(32) }),
		bare("SendGrid key", func(m maker) string { return "SG" + "." + m.url(22) + "." + m.url(43) }),
		bare("Brevo key", func(m maker) string { return "xkey" + "sib-" + m.hex(64) + "-" + m.alnum(16) }),
		bare("Mailgun key", func(m maker) string { return "ke" + "y-" + m.hex(32) }),
		bare("Mailchimp key", func(m maker) string { return m.hex(32) + "-us" + "12" }),
		bare("Telegram bot token", func(m maker) string { return m.num(10) + ":AA" + m.url(33) }),
		bare("Discord bot token", func(m maker) string { return "MT" + m.alnum(24) + "." + m.url(6) + "." + m.url(38) }),
		bare("Discord webhook", func(m maker) string { return "https://dis" + "cord.com/api/webhooks/" + m.num(19) + "/" + m.url(68) }),
		bare("Teams webhook", func(m maker) string {
			return "https://lumen.webhook.off" + "ice.com/webhookb2/" + m.uuid() + "@" + m.uuid() + "/IncomingWebhook/" + m.hex(32) + "/" + m.uuid()
		}),
		bare("Linear key", func(m maker) string { return "lin" + "_api_" + m.alnum(40) }),
		bare("Notion token", func(m maker) string { return "nt" + "n_" + m.num(11) + m.alnum(35) }),
		bare("Figma token", func(m maker) string { return "fig" + "d_" + m.url(40) }),
		bare("Airtable token", func(m maker) string { return "pa" + "t" + m.alnum(14) + "." + m.hex(64) }),
		bare("Postman key", func(m maker) string { return "PM" + "AK-" + m.hex(24) + "-" + m.hex(34) }),
		bare("Grafana token", func(m maker) string { return "gl" + "sa_" + m.alnum(32) + "_" + m.hex(8) }),
		bare("Grafana cloud token", func(m maker) string { return "gl" + "c_" + m.base64(60) }),
		bare("Sentry token", func(m maker) string {
			return "sntr" + "ys_" + base64.StdEncoding.EncodeToString([]byte(`{"iat":1700000000.1,"url":"https://sentry.io","region_url":"https://us.sentry.io","org":"l"}`)) + "_" + m.alnum(43)
		}),
		bare("New Relic key", func(m maker) string { return "NR" + "AK-" + m.upper(27) }),
		bare("Dynatrace token", func(m maker) string { return "dt0" + "c01." + m.of(base32s, 24) + "." + m.of(base32s, 64) }),
		bare("Doppler token", func(m maker) string { return "dp" + ".pt." + m.alnum(43) }),
		bare("SonarQube token", func(m maker) string { return "sq" + "p_" + m.hex(40) }),
		bare("Sourcegraph token", func(m maker) string { return "sg" + "p_" + m.hex(40) }),
		bare("1Password service account", func(m maker) string {
			return "op" + "s_" + base64.RawURLEncoding.EncodeToString([]byte(`{"email":"x@1password.com","key":"`+m.alnum(220)+`"}`))
		}),
		bare("Clojars token", func(m maker) string { return "CLO" + "JARS_" + m.hex(60) }),
		bare("EasyPost key", func(m maker) string { return "EZ" + "AK" + m.alnum(54) }),
		bare("Typeform token", func(m maker) string { return "tf" + "p_" + m.url(59) }),
		bare("Mapbox secret token", func(m maker) string { return "sk" + ".ey" + "J1Ijoi" + m.alnum(60) + "." + m.url(22) }),
		bare("ReadMe key", func(m maker) string { return "rd" + "me_" + m.of(lowers+digits, 70) }),
		bare("Netlify token", func(m maker) string { return "nf" + "p_" + m.alnum(36) }),
		bare("Tailscale key", func(m maker) string { return "ts" + "key-auth-k" + m.alnum(11) + "CNTRL-" + m.alnum(32) }),
		bare("Expo or Adafruit key", func(m maker) string { return "ai" + "o_" + m.alnum(28) }),
	}
}

func contextKinds() []secretKind {
	password, hex32 := maker.password, func(m maker) string { return m.hex(32) }
	return []secretKind{
		named("password assigned", password, `password = "%"`, "DB_PASSWORD=%\n", "  password: %\n", `"passwd": "%"`, "pwd='%';", `$password = '%';`, `spring.datasource.password=%`, `:password => "%"`, "ADMIN_PASSWORD: '%'"),
		named("password in prose", password, "the password is % for now", "Password: %", "passwort: %", "login with password `%` please", "its passphrase is \"%\""),
		named("password as an argument", password, "mysqldump --password=% shop", "deploy --db-password '%' prod", "PGPASSWORD=% psql -h db.corp.io", "sshpass -p '%' ssh root@db", "redis-cli -a '%' --no-auth-warning"),
		named("password in SQL", password, "CREATE USER app IDENTIFIED BY '%';", "ALTER ROLE app WITH PASSWORD '%';", "ALTER USER sa WITH PASSWORD = '%'"),
		named("password in a connection string", password, "Server=db.corp.io;Database=x;User Id=sa;Password=%;Encrypt=true", "jdbc:postgresql://db.corp.io/x?user=app&password=%&ssl=true", "host=db.corp.io user=app password=% dbname=x", "Data Source=db;uid=app;pwd=%;"),
		named("netrc", password, "machine git.corp.io login mara password %\n", "machine api.corp.io\n  login ci\n  password %\n"),
		named("curl user", password, "curl -u admin:% https://api.corp.io/v1", "curl --user deploy:% https://corp.io", `curl -u "ci:%" https://x.corp.io/`),
		named("bearer header", func(m maker) string { return m.url(40) }, "Authorization: Bearer %\n", `-H "Authorization: Bearer %"`, `req.Header.Set("Authorization", "Bearer %")`, `{"authorization":"Bearer %"}`, "authorization: token %\n"),
		named("basic header", func(m maker) string {
			return base64.StdEncoding.EncodeToString([]byte(m.name() + ":" + m.password()))
		}, "Authorization: Basic %\n", `-H 'Authorization: Basic %'`, `headers = {"Authorization": "Basic %"}`),
		named("API key header", func(m maker) string { return m.alnum(32) }, "X-Api-Key: %\n", `-H 'X-API-Key: %'`, `"x-auth-token": "%"`, "PRIVATE-TOKEN: %\n"),
		named("cookie", func(m maker) string { return m.alnum(32) }, "Cookie: session=%; theme=dark\n", "Set-Cookie: sid=%; HttpOnly; Secure\n", `-H 'Cookie: JSESSIONID=%'`, `curl -b "sessionid=%" https://app.corp.io/`, "cookie: _ledger_session=%\n"),
		named("password of a URL", func(m maker) string { return m.alnum(10) + "9x" }, "postgres://app:%@db.corp.io/shop", "mysql://svc:%@10.2.3.4:3306/x", "mongodb+srv://app:%@c0.corp.io/?w=1", "amqps://svc:%@mq.corp.io", "https://mara:%@git.corp.io/x.git", "smtp://mailer:%@smtp.corp.io"),
		named("password of a URL without a user", password2, "redis://:%@cache.corp.io:6379/0", "rediss://:%@10.2.3.4:6380", "REDIS_URL=redis://:%@cache.corp.io\n"),
		named("token in a clone URL", func(m maker) string { return m.alnum(40) }, "https://x-access-token:%@github.com/lumen/ledger", "https://oauth2:%@gitlab.corp.io/x/y.git", "git clone https://ci:%@git.corp.io/x.git"),
		named("client secret", func(m maker) string { return m.alnum(32) }, `client_secret = "%"`, "CLIENT_SECRET=%\n", `"clientSecret": "%"`, "oauth.client-secret: %\n"),
		named("API key by name", func(m maker) string { return m.alnum(32) }, `api_key = "%"`, "API_KEY=%\n", `"apiKey": "%"`, "stripeApiKey: '%',", `apikey="%"`),
		named("access token by name", func(m maker) string { return m.url(40) }, `access_token: "%"`, "ACCESS_TOKEN=%\n", `"refresh_token":"%"`, `auth_token = '%'`, "https://api.corp.io/me?access_token=%&fields=id"),
		named("secret key by name", func(m maker) string { return m.url(50) }, `SECRET_KEY = "%"`, "secret_key_base: %\n", "JWT_SECRET=%\n", `signing_secret: '%'`, `ENCRYPTION_KEY="%"`),
		named("AWS secret key", func(m maker) string { return m.base64(30) }, "aws_secret_access_key = %\n", `"SecretAccessKey": "%"`, "AWS_SECRET_ACCESS_KEY=%\n"),
		named("Azure storage key", func(m maker) string { return m.base64(64) }, "DefaultEndpointsProtocol=https;AccountName=lumen;AccountKey=%;EndpointSuffix=core.windows.net", `AZURE_STORAGE_KEY="%"`),
		named("Azure shared access key", func(m maker) string { return m.base64(32) }, "Endpoint=sb://lumen.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=%"),
		named("Azure SAS signature", func(m maker) string { return m.alnum(43) + "%" + "3D" }, "https://lumen.blob.core.windows.net/c/f?sv=2024-11-04&se=2026-01-01&sr=b&sp=r&sig=%"),
		named("Twilio auth token", hex32, "TWILIO_AUTH_TOKEN=%\n", `authToken: "%"`, `twilio_auth_token = '%'`),
		named("Datadog key", func(m maker) string { return m.hex(40) }, "DD_APP_KEY=%\n", "DATADOG_API_KEY=%\n", `datadog_app_key = "%"`),
		named("Cloudflare token", func(m maker) string { return m.url(40) }, "CLOUDFLARE_API_TOKEN=%\n", `cloudflare_api_token = "%"`),
		named("npmrc password", func(m maker) string { return m.base64(24) }, "//npm.corp.io/:_password=%\n", "//npm.corp.io/:_auth=%\n", "//npm.corp.io/:_authToken=%\n"),
		named("Docker configuration", func(m maker) string {
			return base64.StdEncoding.EncodeToString([]byte(m.name() + ":" + m.alnum(24)))
		}, `{"auths":{"registry.corp.io":{"auth":"%"}}}`, "{\n  \"auths\": {\n    \"ghcr.io\": {\n      \"auth\": \"%\"\n    }\n  }\n}"),
		named("kubeconfig key", func(m maker) string { return base64.StdEncoding.EncodeToString([]byte(m.pem("RSA " + "PRIVATE KEY"))) }, "    client-key-data: %\n"),
		named("WireGuard key", func(m maker) string { return m.base64(32) }, "[Interface]\nPrivateKey = %\n", "PresharedKey = %\n"),
		named("Kubernetes secret", func(m maker) string { return base64.StdEncoding.EncodeToString([]byte(m.alnum(24))) }, "kind: Secret\ndata:\n  db-password: %\n", "apiVersion: v1\nkind: Secret\ndata:\n  api-token: %\n"),
		named("session id in a log", func(m maker) string { return m.hex(32) }, "PHPSESSID=%; path=/", "Cookie: PHPSESSID=%\n"),
	}
}

func password2(m maker) string { return m.alnum(14) + "q7" }
