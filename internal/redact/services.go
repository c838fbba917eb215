package redact

import (
	"strings"
	"sync"
)

// form is a rule in one line: the tokens of a service, by how they begin and
// what follows.
type form struct {
	name, begins, follows string
}

// forms are services whose tokens tell themselves and that the library does
// not know, knows only above an entropy, or takes for a part of a URL.
var forms = [...]form{
	{"google-client-secret", "GOCSPX-", `[A-Za-z0-9_-]{24,}`},
	{"google-access-token", "ya29.", `[A-Za-z0-9_-]{30,}(?:\.[A-Za-z0-9_-]+)*`},
	{"google-refresh-token", "1//0", `[0-9A-Za-z_-]{40,}`},
	{"google-api-key", "AIza", `[A-Za-z0-9_-]{35}`},
	{"rubygems-key", "rubygems_", `[0-9a-f]{48}`},
	{"crates-token", "cio", `[A-Za-z0-9]{32}\b`},
	{"docker-hub-token", "dckr_pat_", `[A-Za-z0-9_-]{20,}`},
	{"docker-hub-token", "dckr_oat_", `[A-Za-z0-9_-]{20,}`},
	{"nuget-key", "oy2", `[a-z0-9]{43}\b`},
	{"vault-token", "hvs.", `[A-Za-z0-9_-]{24,}`},
	{"vault-token", "hvb.", `[A-Za-z0-9_-]{60,}`},
	{"vault-token", "hvr.", `[A-Za-z0-9_-]{24,}`},
	{"heroku-key", "HRKU-", `[A-Za-z0-9_-]{36,}`},
	{"supabase-token", "sbp_", `[0-9a-f]{40}`},
	{"supabase-key", "sb_secret_", `[A-Za-z0-9_-]{20,}`},
	{"cloudflare-origin-key", "v1.0-", `[0-9a-f]{24}-[0-9a-f]{100,}`},
	{"cloudflare-token", "cfut_", `[A-Za-z0-9_-]{40,}`},
	{"fly-token", "fo1_", `[A-Za-z0-9_-]{43}`},
	{"fly-macaroon", "fm2_", `[A-Za-z0-9+/]{60,}={0,2}`},
	{"fly-macaroon", "fm1r_", `[A-Za-z0-9+/]{60,}={0,2}`},
	{"artifactory-key", "AKCp", `[A-Za-z0-9]{60,}`},
	{"artifactory-token", "cmVmdGtu", `[A-Za-z0-9]{50,}`},
	{"atlassian-token", "ATATT3", `[A-Za-z0-9_=-]{100,}`},
	{"atlassian-token", "ATCTT3", `[A-Za-z0-9_=-]{100,}`},
	{"bitbucket-password", "ATBB", `[A-Za-z0-9]{32}\b`},
	{"groq-key", "gsk_", `[A-Za-z0-9]{48,}`},
	{"xai-key", "xai-", `[A-Za-z0-9]{70,}`},
	{"openrouter-key", "sk-or-v1-", `[0-9a-f]{64}`},
	{"replicate-token", "r8_", `[A-Za-z0-9]{37}\b`},
	{"perplexity-key", "pplx-", `[A-Za-z0-9]{40,}`},
	{"langsmith-key", "lsv2_", `(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}`},
	{"nvidia-key", "nvapi-", `[A-Za-z0-9_-]{60,}`},
	{"stripe-key", "sk_live_", `[A-Za-z0-9]{10,}`},
	{"stripe-key", "rk_live_", `[A-Za-z0-9]{10,}`},
	{"stripe-key", "sk_test_", `[A-Za-z0-9]{20,}`},
	{"stripe-webhook-secret", "whsec_", `[A-Za-z0-9+/=]{24,}`},
	{"square-token", "sq0atp-", `[A-Za-z0-9_-]{22}`},
	{"square-secret", "sq0csp-", `[A-Za-z0-9_-]{43}`},
	{"shopify-token", "shpat_", `[0-9a-fA-F]{32}`},
	{"shopify-token", "shpss_", `[0-9a-fA-F]{32}`},
	{"twilio-key", "SK", `[0-9a-f]{32}\b`},
	{"sendgrid-key", "SG.", `[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}`},
	{"brevo-key", "xkeysib-", `[0-9a-f]{64}-[A-Za-z0-9]{16}`},
	{"mailgun-key", "key-", `[0-9a-f]{32}\b`},
	{"linear-key", "lin_api_", `[A-Za-z0-9]{40}`},
	{"notion-token", "ntn_", `[A-Za-z0-9]{40,}`},
	{"figma-token", "figd_", `[A-Za-z0-9_-]{40}`},
	{"airtable-token", "pat", `[A-Za-z0-9]{14}\.[0-9a-f]{64}`},
	{"postman-key", "PMAK-", `[0-9a-f]{24}-[0-9a-f]{34}`},
	{"grafana-token", "glsa_", `[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}`},
	{"grafana-cloud-token", "glc_", `[A-Za-z0-9+/]{32,}={0,2}`},
	{"sentry-token", "sntrys_", `[A-Za-z0-9+/=_-]{60,}`},
	{"sentry-token", "sntryu_", `[0-9a-f]{64}`},
	{"new-relic-key", "NRAK-", `[A-Z0-9]{27}`},
	{"dynatrace-token", "dt0c01.", `[A-Z0-9]{24}\.[A-Z0-9]{64}`},
	{"doppler-token", "dp.", `(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}`},
	{"sonarqube-token", "sqp_", `[0-9a-f]{40}`},
	{"sonarqube-token", "squ_", `[0-9a-f]{40}`},
	{"sonarqube-token", "sqa_", `[0-9a-f]{40}`},
	{"sourcegraph-token", "sgp_", `(?:[0-9a-f]{16}_)?[0-9a-f]{40}`},
	{"onepassword-token", "ops_ey", `[A-Za-z0-9_-]{100,}`},
	{"clojars-token", "CLOJARS_", `[0-9a-f]{60}`},
	{"easypost-key", "EZAK", `[A-Za-z0-9]{54}`},
	{"typeform-token", "tfp_", `[A-Za-z0-9_.=-]{59}`},
	{"mapbox-token", "sk.ey", `[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{20,}`},
	{"readme-key", "rdme_", `[a-z0-9]{70}`},
	{"netlify-token", "nfp_", `[A-Za-z0-9]{36}`},
	{"tailscale-key", "tskey-", `(?:auth|api|client|scim|webhook)-[A-Za-z0-9-]{16,}`},
	{"adafruit-key", "aio_", `[A-Za-z0-9]{28}\b`},
	{"digitalocean-token", "dop_v1_", `[0-9a-f]{64}`},
	{"digitalocean-token", "doo_v1_", `[0-9a-f]{64}`},
	{"databricks-token", "dapi", `[0-9a-f]{32}(?:-[0-9])?\b`},
	{"pulumi-token", "pul-", `[0-9a-f]{40}`},
	{"planetscale-token", "pscale_", `(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,64}`},
	{"slack-app-token", "xapp-", `[0-9]-[A-Z0-9]+-[0-9]+-[A-Za-z0-9]+`},
	{"slack-rotating-token", "xoxe", `(?:\.xox[bp])?-[0-9]-[A-Za-z0-9]{60,}`},
	{"slack-webhook", "https://hooks.slack.com/", `(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,}`},
	{"discord-webhook", "https://discord", `(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,}`},
	{"gitlab-runner-token", "GR1348941", `[A-Za-z0-9_-]{20,}`},
	{"dropbox-token", "sl.", `(?:u\.)?[A-Za-z0-9_-]{130,}`},
	{"facebook-token", "EAA", `[A-Za-z0-9]{100,}`},
	{"duffel-token", "duffel_", `(?:live|test)_[A-Za-z0-9_=-]{43}`},
	{"contentful-token", "CFPAT-", `[A-Za-z0-9_-]{43}`},
	{"buildkite-token", "bkua_", `[0-9a-f]{40}`},
	{"circleci-token", "CCIPAT_", `[A-Za-z0-9]{20,}_[0-9a-f]{40}`},
	{"snowflake-or-neon-key", "napi_", `[a-z0-9]{60,}`},
	{"vercel-blob-token", "vercel_blob_rw_", `[A-Za-z0-9]{10,}_[A-Za-z0-9]{20,}`},
	{"resend-key", "re_", `[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b`},
	{"aws-bedrock-key", "ABSK", `[A-Za-z0-9+/]{109,}={0,2}`},
}

// ownServices are the forms as rules, and the tokens that are told by what
// stands in them.
var ownServices = sync.OnceValue(func() []rule {
	var out []rule
	for _, f := range forms {
		out = append(out, rule{
			name: f.name, needles: []string{f.begins}, pattern: compile(quoteMeta(f.begins) + "(?:" + f.follows + ")"),
			apart: true, except: uniform,
		})
	}
	return append(out,
		rule{name: "telegram-token", needles: []string{":AA"}, back: 12, apart: true, pattern: compile(`[0-9]{8,10}:AA[A-Za-z0-9_-]{32,33}\b`)},
		rule{name: "azure-devops-token", needles: []string{"AZDO"}, back: 90, apart: true, pattern: compile(`[A-Za-z0-9]{52}JQQJ9[0-9][A-Za-z0-9]{18}AZDO[A-Za-z0-9]{4}\b`)},
		rule{name: "azure-client-secret", needles: []string{"8Q~", "7Q~"}, back: 4, apart: true, pattern: compile(`[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}`)},
		rule{name: "terraform-token", needles: []string{".atlasv1."}, back: 20, apart: true, pattern: compile(`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}`)},
		rule{name: "mailchimp-key", needles: []string{"-us"}, back: 34, apart: true, pattern: compile(`[0-9a-f]{32}-us[0-9]{1,2}\b`)},
		rule{name: "openai-token", needles: []string{"T3BlbkFJ"}, back: 200, apart: true, pattern: compile(`sk-[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,}`)},
		rule{ // an id in base64 first
			name: "discord-token", needles: []string{"MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"}, apart: true,
			pattern: compile(`[MNO][A-Za-z0-9]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`),
		},
		rule{name: "teams-webhook", needles: []string{".webhook.office.com/"}, back: 60, pattern: compile(`https://[a-z0-9-]+\.webhook\.office\.com/webhookb?2?/[A-Za-z0-9@/_-]{60,}`)},
	)
})

// uniform tells a body that nobody was given: a filler, or a single letter
// again and again.
func uniform(token string) bool {
	if filler(token) {
		return true
	}
	tail := token[len(token)-min(len(token), 16):]
	return strings.Count(tail, tail[:1]) == len(tail)
}

// quoteMeta quotes the few signs that stand in beginnings.
func quoteMeta(s string) string { return strings.ReplaceAll(s, ".", `\.`) }
