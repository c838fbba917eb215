package redact

// keywords are the words that the rules of gitleaks v8.30.1 are tried for, in
// order, each with what a text that one of its rules matches has at least: a
// run of token characters of so many bytes, with so many different ones among
// them. A test derives both from the library itself.
var keywords = [...]need{
	{"-----begin", 10, 0}, {"4b1d", 42, 9}, {"_gitlab_session=", 48, 9}, {"_mmk", 40, 16}, {"_pub", 40, 0}, {"a3-", 39, 14},
	{"a3t", 20, 9}, {"abia", 20, 9}, {"absk", 113, 9}, {"acca", 20, 9}, {"access", 12, 12}, {"adafruit", 32, 0},
	{"adobe", 32, 5}, {"age-secret-key-1", 74, 0}, {"airtable", 17, 0}, {"aiza", 39, 16}, {"akcp", 73, 16}, {"akia", 20, 9},
	{"algolia", 32, 0}, {"alibaba", 30, 5}, {"api", 12, 12}, {"api-", 30, 9}, {"api_org_", 42, 5}, {"artifactory", 64, 0},
	{"asana", 16, 0}, {"asia", 20, 9}, {"atatt3", 24, 12}, {"atlassian", 24, 12}, {"atlasv1", 83, 12}, {"auth", 12, 12},
	{"authress_", 59, 5}, {"beamer", 46, 0}, {"bedrock-api-key-", 44, 9}, {"bintray", 64, 0}, {"bitbucket", 32, 0},
	{"bittrex", 32, 0}, {"bundle_enterprise__contribsys__com", 28, 0}, {"bundle_gems__contribsys__com", 28, 0},
	{"clojars_", 68, 5}, {"cloudflare", 37, 5}, {"cmvmd", 64, 16}, {"co_api_key", 40, 16}, {"codecov", 32, 0},
	{"cohere", 40, 16}, {"coinbase", 64, 0}, {"confluence", 24, 12}, {"confluent", 16, 0}, {"contentful", 43, 0},
	{"credential", 12, 12}, {"creds", 12, 12}, {"curl", 4, 0}, {"dapi", 36, 9}, {"datadog", 40, 0}, {"discord", 18, 0},
	{"dnkey", 85, 0}, {"doo_v1_", 71, 9}, {"dop_v1_", 71, 9}, {"dor_v1_", 71, 0}, {"dp.pt.", 49, 5}, {"droneci", 32, 0},
	{"dropbox", 15, 0}, {"dt0c01.", 96, 16}, {"duffel_", 55, 5}, {"eaaa", 26, 5}, {"eaac", 104, 16}, {"eaam", 104, 16},
	{"enterprise.contribsys.com", 10, 0}, {"etsy", 24, 9}, {"ext_", 59, 5}, {"ey", 40, 9}, {"eyjrijoi", 78, 9},
	{"ezak", 58, 5}, {"eztk", 58, 5}, {"facebook", 27, 0}, {"fastly", 32, 0}, {"finicity", 20, 0}, {"finnhub", 20, 0},
	{"fio-u-", 70, 0}, {"flickr", 32, 0}, {"flwpubk_test", 47, 5}, {"flwseck_test", 25, 5}, {"fm1", 47, 16}, {"fm2_", 47, 16},
	{"fo1_", 47, 16}, {"freshbooks", 64, 0}, {"gems.contribsys.com", 10, 0}, {"gho_", 40, 9}, {"ghp_", 40, 9}, {"ghr_", 40, 9},
	{"ghs_", 40, 9}, {"ghu_", 40, 9}, {"github_pat_", 93, 9}, {"gitter", 40, 0}, {"glagent-", 58, 9}, {"glc_", 36, 9},
	{"glcbt-", 28, 9}, {"gldt-", 25, 9}, {"glffct-", 27, 9}, {"glft-", 25, 9}, {"glimt-", 31, 9}, {"gloas-", 70, 9},
	{"glpat-", 26, 9}, {"glptt-", 46, 9}, {"glrt-", 25, 9}, {"glsa_", 46, 9}, {"glsoat-", 27, 9}, {"gocardless", 45, 0},
	{"gr1348941", 29, 9}, {"heroku", 36, 0}, {"hf_", 37, 5}, {"hooks.slack.com", 56, 0}, {"hrku-aa", 65, 16},
	{"hubspot", 36, 0}, {"hvb.", 142, 16}, {"hvs.", 26, 12}, {"ico-", 36, 9}, {"incomingwebhook", 122, 0}, {"intercom", 60, 0},
	{"intra", 73, 9}, {"jfrog", 64, 0}, {"jira", 24, 12}, {"key", 12, 12}, {"kraken", 80, 0}, {"kucoin", 24, 0},
	{"launchdarkly", 40, 0}, {"lin_api_", 48, 5}, {"linear", 32, 5}, {"linked-in", 14, 5}, {"linked_in", 14, 5},
	{"linkedin", 14, 5}, {"live_", 40, 0}, {"live_pub", 40, 0}, {"looker", 20, 0}, {"ltai", 24, 5}, {"mailchimp", 37, 0},
	{"mailgun", 36, 0}, {"mapbox", 86, 0}, {"mattermost", 26, 0}, {"meraki", 40, 9}, {"message-bird", 25, 0},
	{"message_bird", 25, 0}, {"messagebird", 25, 0}, {"netlify", 40, 0}, {"new-relic", 64, 0}, {"new-york-times", 32, 0},
	{"new_relic", 64, 0}, {"newrelic", 64, 0}, {"newyorktimes", 32, 0}, {"npm_", 40, 5}, {"nrak", 32, 0}, {"nrii-", 37, 0},
	{"nrjs-", 24, 0}, {"ntn_", 50, 16}, {"nytimes", 32, 0}, {"okta", 42, 16}, {"ops_", 257, 16}, {"p8e-", 36, 5},
	{"passwd", 12, 12}, {"password", 12, 12}, {"pat.", 72, 0}, {"plaid", 24, 0}, {"pmak-", 64, 9}, {"pnu_", 40, 5},
	{"pplx-", 53, 16}, {"private-ai", 32, 9}, {"private_ai", 32, 9}, {"privateai", 32, 9}, {"pscale_oauth_", 45, 9},
	{"pscale_pw_", 42, 9}, {"pscale_tkn_", 43, 9}, {"pul-", 44, 5}, {"pypi-ageichlwas5vcmc", 70, 9}, {"q~", 37, 9},
	{"rapidapi", 50, 0}, {"rdme_", 75, 5}, {"rk_live", 18, 5}, {"rk_prod", 18, 5}, {"rk_test", 18, 5}, {"rubygems_", 57, 5},
	{"s-s4t2af-", 73, 9}, {"s-s4t2ud-", 73, 9}, {"s.", 26, 12}, {"sat.", 72, 0}, {"sc_", 59, 5}, {"scauth_", 59, 5},
	{"secret", 12, 12}, {"sendbird", 36, 0}, {"sentry", 64, 9}, {"sg.", 69, 5}, {"sgp_", 40, 9}, {"sha256~", 50, 12},
	{"shippo_", 52, 5}, {"shpat_", 38, 5}, {"shpca_", 38, 5}, {"shppa_", 38, 5}, {"shpss_", 38, 5}, {"sk", 34, 9},
	{"sk-ant-admin01", 110, 0}, {"sk-ant-api03", 108, 0}, {"sk_live", 18, 5}, {"sk_prod", 18, 5}, {"sk_test", 18, 5},
	{"sm_aat", 23, 9}, {"sm_pat", 23, 9}, {"sm_sat", 23, 9}, {"sntrys_eyjpyxqio", 96, 0}, {"sntryu_", 71, 12}, {"snyk", 36, 0},
	{"sonar", 40, 0}, {"sourcegraph", 40, 9}, {"sq0atp-", 26, 5}, {"squarespace", 36, 0}, {"sumo", 14, 9}, {"t3blbkfj", 51, 9},
	{"telegr", 35, 0}, {"test_", 40, 0}, {"test_pub", 40, 0}, {"tfp_", 63, 0}, {"tk-us-", 54, 5}, {"token", 12, 12},
	{"travis", 22, 0}, {"twitch", 30, 0}, {"twitter", 22, 0}, {"v1.0-", 176, 5}, {"webhook.office.com", 122, 0},
	{"webhookb2", 122, 0}, {"xapp", 12, 5}, {"xkeysib-", 89, 5}, {"xoxa", 13, 5}, {"xoxb", 26, 5}, {"xoxe-", 66, 5},
	{"xoxe.xoxb-", 170, 0}, {"xoxe.xoxp-", 170, 0}, {"xoxo", 12, 5}, {"xoxp-", 66, 5}, {"xoxr", 13, 5}, {"xoxs", 12, 5},
	{"xray", 64, 0}, {"yandex", 39, 0}, {"zendesk", 40, 0}, {"zxlk", 6, 5},
}

// wide are the keywords of rules that may span more than two lines, or whose
// match need not hold the keyword.
var wide = [...]string{
	"-----begin", "airtable", "curl", "enterprise.contribsys.com", "facebook", "gems.contribsys.com", "hooks.slack.com",
	"sgp_", "sourcegraph", "xoxe.xoxb-", "xoxe.xoxp-", "zxlk",
}
