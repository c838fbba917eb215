package redact

import (
	"strings"
	"sync"
)

// own are our rules for tokens that tell themselves by how they begin. A
// token's whole text is matched, never a part of it. Where the beginning is
// also an English one (sk-, hf_), it must not stand inside a word.
var own = sync.OnceValue(func() []rule {
	return []rule{
		{
			name:    "github-token",
			needles: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"},
			// The long form of an installation token is ghs_<app id>_<jwt>: its
			// dots and dashes belong to it (attack A77). The body of a classic one
			// has no underscore, which tells it from an identifier.
			pattern: compile(`gh[pousr]_(?:[0-9]{1,20}_ey[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){0,2}|` +
				`[0-9]{1,20}_[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}|[A-Za-z0-9]{20,})`),
			except: filler,
		},
		{
			name:    "github-fine-grained-token",
			needles: []string{"github_pat_"},
			pattern: compile(`github_pat_[A-Za-z0-9]{20,}[A-Za-z0-9_]*`),
			except:  filler,
		},
		{
			name:    "aws-access-key-id",
			needles: []string{"AKIA", "ASIA", "ABIA", "ACCA"},
			pattern: compile(`(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`),
			apart:   true,
			except:  func(s string) bool { return strings.HasSuffix(s, "EXAMPLE") || filler(s) },
		},
		{
			name:    "slack-token",
			needles: []string{"xox"},
			pattern: compile(`xox[abeoprs]-[A-Za-z0-9-]{10,}`),
			apart:   true,
			except:  func(s string) bool { return !strings.ContainsAny(s, "0123456789") || filler(s) },
		},
		{
			name:    "gitlab-token",
			needles: []string{"glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-", "glffct-"},
			pattern: compile(`gl(?:pat|ptt|dt|rt|cbt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_]+)*`),
			apart:   true,
			except:  filler,
		},
		{
			name:    "anthropic-token",
			needles: []string{"sk-ant-"},
			pattern: compile(`sk-ant-[a-z]{2,}[0-9]{2}-[A-Za-z0-9_-]{20,}`),
			apart:   true,
			except:  filler,
		},
		{
			name:    "openai-token",
			needles: []string{"sk-"},
			pattern: compile(`sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})`),
			apart:   true,
			except:  filler,
		},
		{
			name:    "npm-token",
			needles: []string{"npm_"},
			pattern: compile(`npm_(?:[A-Za-z0-9]{36}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\b`),
			apart:   true,
			except:  filler,
		},
		{
			name:    "pypi-token",
			needles: []string{"pypi-AgE"},
			pattern: compile(`pypi-AgE[A-Za-z0-9_-]{16,}`),
			except:  filler,
		},
		{
			name:    "hugging-face-token",
			needles: []string{"hf_"},
			pattern: compile(`hf_[A-Za-z0-9]{30,}\b`),
			apart:   true,
			except:  filler,
		},
		{
			name:    "age-identity",
			needles: []string{"AGE-SECRET-KEY-", "age-secret-key-"},
			pattern: compile(`(?i)AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{20,}`),
			except:  filler,
		},
		{
			name:    "json-web-token",
			needles: []string{"eyJ"},
			pattern: compile(`eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`),
			apart:   true,
		},
	}
})
