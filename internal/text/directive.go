package text

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Directive is one way in which a text speaks to a machine that will read it,
// where a lesson speaks to people about code. It decides nothing: whoever
// approves the text is told, and may have good reasons for it.
type Directive string

// The closed set of directives.
const (
	OverridesInstructions Directive = "override" // asks to drop what the reader was told before
	PosesAsRole           Directive = "role"     // a marker of a conversation, or a new role for the reader
	CallsTools            Directive = "tool"     // the syntax of a tool call, or a command to run
	SilencesReview        Directive = "silence"  // asks for approval, or for findings to be kept back
	SendsData             Directive = "send"     // asks for secrets, instructions or data to be shown or sent
	HidesFromPeople       Directive = "secrecy"  // asks to keep something from people
	AddressesModel        Directive = "model"    // speaks to a model or an assistant as such
	SteersMemory          Directive = "memory"   // asks for lessons to be stored, approved or forgotten, or is a command
	HidesText             Directive = "hidden"   // holds what a rendered page would not show
)

// directiveWords say each directive to the one who approves, after "It".
var directiveWords = map[Directive]string{
	OverridesInstructions: "asks its reader to set other instructions aside",
	PosesAsRole:           "poses as a part of a conversation or gives its reader a role",
	CallsTools:            "holds a tool call or a command to run",
	SilencesReview:        "asks for approval or for findings to be kept back",
	SendsData:             "asks for secrets, instructions or data to be shown or sent",
	HidesFromPeople:       "asks to keep something from people",
	AddressesModel:        "speaks to a model rather than to people",
	SteersMemory:          "asks for lessons to be stored, approved or forgotten, or reads as a command",
	HidesText:             "holds text that a rendered page would not show",
}

// Words says the directive as the rest of a sentence that begins with "it".
func (d Directive) Words() string { return directiveWords[d] }

// Directives returns in which ways s reads as an instruction to a machine
// (attack A72), each once, in the order above; none for a
// text that only speaks about code. Letters of other scripts, marks,
// invisible characters, line breaks and letters set apart do not hide one.
// Its cost is linear in s, of which the first 64 KiB are looked at.
func Directives(s string) []Directive {
	s = s[:min(len(s), maxDirective)]
	lower := lowerAll(s)
	plain := strings.Join(strings.Fields(strings.ToLower(unleet(s))), " ")
	dense := Skeleton(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) {
			return r
		}
		return -1
	}, s))
	var out []Directive
	for _, rule := range directiveRules() {
		if rule.in(s, lower, plain, dense) || rule.directive == SteersMemory && namesLookalike(s) {
			out = append(out, rule.directive)
		}
	}
	return out
}

const maxDirective = 64 << 10

// handle is the name that commands begin with unless it is configured.
const handle = "familiar"

// namesLookalike says whether s speaks to a name that only looks like the
// handle, which a reader takes for a command and the action does not.
func namesLookalike(s string) bool {
	for word := range strings.FieldsSeq(s) {
		if (word[0] == '@' || word[0] == '/') && LooksLike(strings.TrimRight(word[1:], ".,:;!?"), handle) {
			return true
		}
	}
	return false
}

// unleet makes what only looks like Latin letters Latin, without touching
// what is.
func unleet(s string) string { return likeLatin(strings.ToValidUTF8(s, " ")) }

// directiveRule finds one directive. raw patterns see the text as it is,
// plain ones in lower case with single spaces, dense ones its skeleton
// without anything between letters. What stands in a plain match behind a
// negation ("never print the token") is no request.
type directiveRule struct {
	directive         Directive
	raw, plain, dense []pattern
	unlessNegated     bool
}

func (r directiveRule) in(raw, lower, plain, dense string) bool {
	for _, p := range r.raw {
		if p.may(lower) && p.MatchString(raw) {
			return true
		}
	}
	for _, p := range r.dense {
		if p.may(dense) && p.MatchString(dense) {
			return true
		}
	}
	return slices.ContainsFunc(r.plain, func(p pattern) bool { return p.may(plain) && r.requestedBy(p, plain) })
}

// requestedBy says whether a match of p is a request.
func (r directiveRule) requestedBy(p pattern, plain string) bool {
	if !r.unlessNegated {
		return p.MatchString(plain)
	}
	for _, m := range p.FindAllStringIndex(plain, -1) {
		if !negated.MatchString(plain[max(0, m[0]-negationReach):m[0]]) {
			return true
		}
	}
	return false
}

// negationReach is how far before a request its negation may stand.
const negationReach = 40

var negated = Lazy(`(?:\bnever|\bnot|n't|\bnor|\bavoid|\bwithout|\bneither|\bforbid\w*|\brefuse to|\binstead of)(?: \w+){0,3}[ "'` + "`" + `]*$`)

var directiveRules = sync.OnceValue(func() []directiveRule {
	return []directiveRule{
		{
			directive: OverridesInstructions,
			plain: patternsOf(
				`\b(?:ignore|disregard|forget|override|bypass|discard|drop|set aside|pay no attention to|stop following|do not follow|don't follow|no longer follow)\b[^.!?]{0,40}\b(?:previous|prior|above|earlier|preceding|foregoing|original|initial|existing|current|system|developer|safety|other|your|its|all|any)\b[^.!?]{0,30}\b(?:instructions?|prompts?|directions?|directives?|guidelines?|guardrails?|restrictions?|system messages?|safety rules|policies|programming|orders)\b`,
				`\b(?:ignore|disregard|forget|override) (?:everything|anything|all)(?: that)?(?: (?:you|was|were|is))?[^.!?]{0,30}\b(?:above|before|told|said|learned|instructed|so far|prior)\b`,
				`\b(?:new|updated|real|actual|true) (?:system )?(?:instructions|system prompt|orders)(?: are)?(?: for you)?:`,
				`\b(?:these|the following) (?:instructions|rules|orders) (?:override|supersede|replace|take precedence over|outrank) (?:all|any|every|your|the (?:system|previous|other)|everything)`,
				`\b(?:jailbreak|developer mode|dan mode|god mode|unrestricted mode)\b[^.!?]{0,20}\b(?:enabled|activated|on|now)\b`,
				`\bignorier\w* (?:\w+ ){0,3}(?:anweisung|vorgabe|instruktion)`, `\bvergiss (?:\w+ ){0,3}(?:anweisung|vorgabe)`,
				`\b(?:ignore[zr]?|oublie[zr]?) (?:\S+ ){0,3}(?:instructions|consignes)`,
				`\b(?:ignora|ignore|olvida|olvide) (?:\S+ ){0,3}(?:instrucciones|instruções|istruzioni)`,
				`игнорир\S* (?:\S+ ){0,3}(?:инструкц|указан)`, `(?:忽略|无视|忽視|無視).{0,12}(?:指令|指示|说明|說明|提示)`, `(?:指示|命令|プロンプト).{0,6}(?:無視|忘れ)`,
			),
			dense: patternsOf(`(?:lgnore|dlsregard|forget|overrlde|bypass)(?:all|any|the|my|your|of|these|those|every|each|other|and){0,4}(?:prevlous|prlor|above|earller|precedlng|system|orlglnal|lnltlal|safety)[a-z]{0,12}?(?:lnstructlon|prompt|dlrectlon|dlrectlve|guldellne|guardrall|restrlctlon)`),
		},
		{
			directive: PosesAsRole,
			raw:       patternsOf(`(?im)^[\s>*#_"'-]*(?:system|assistant|developer|human|user|tool)\s*(?:prompt|message|note)?\s*\**\s*:\s*\S|<\|[a-z_ ]{2,24}\|>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant|user|developer|instructions?|system[-_]prompt|system[-_]message|human)>|<(?:start|end)_of_turn>|\[/?(?:system|assistant|developer)\]|(?m:^#{1,6} *(?:system|instruction|response|assistant)s? *:?\s*$)|"role"\s*:\s*"(?:system|assistant|developer|tool)"`),
			plain: patternsOf(
				`\byou are (?:now|no longer|from now on|henceforth)\b`, `\bfrom now on,? (?:you|your|always|never|respond|reply|answer|act|treat|approve)\b`,
				`\b(?:act|behave|respond|roleplay|role-play) as (?:if you|an? (?:ai|unrestricted|expert|senior|helpful|different|new|dan\b|reviewer|assistant|system))`, `\bpretend (?:to be|that you|you are|you're)\b`,
				`\byou are (?:an?|the) (?:ai\b|assistant|helpful|unrestricted|language model|senior reviewer who|reviewer who|bot who|agent who)`,
				`\b(?:begin|end|start) (?:of )?(?:system|new|hidden) (?:prompt|instructions?|message)\b`, `\byour (?:new |only |real |true )(?:role|task|job|goal|purpose|instructions?|objective) (?:is|are)\b`,
			),
		},
		{
			directive: CallsTools,
			raw:       patternsOf(`(?i)</?(?:tool_?calls?|tool_?use|function_?calls?|invoke|tool_?result|parameter)\b[^>\n]{0,80}>|"(?:tool_calls|function_call|tool_use|tool_choice)"\s*:|"name"\s*:\s*"[\w.-]+"\s*,\s*"(?:arguments|input|parameters)"\s*:|\{\s*"(?:tool|action|function)"\s*:\s*"[\w.-]+"\s*,\s*"(?:args|arguments|input|action_input|parameters)"|` + "```" + `\s*(?:tool_code|tool_call|tool)\b|(?m:^\s*(?:Action|Action Input|Observation|Tool)\s*:\s*\S)|\bto=(?:functions|tools|browser|python)\b|\bfunctions\.[a-z_]+\(`),
			plain: patternsOf(
				`\b(?:call|use|invoke|execute|run|trigger)\b (?:the |your |a |any )?(?:\S+ ){0,3}(?:tool|function call|mcp server|shell tool|bash tool|terminal tool)\b[^.!?]{0,40}\b(?:to|with|and|now|on)\b`,
				`\b(?:run|execute|type|paste)\b[^.!?\n]{0,30}\b(?:the following|this|these) (?:shell |bash |terminal )?(?:commands?|script|code) (?:before|first|when|while|as soon as|immediately|and (?:report|return|include|paste|send))`,
				`\b(?:curl|wget|iwr|invoke-webrequest)\b[^|\n]{0,120}\| ?(?:sudo )?(?:ba|z|da)?sh\b`, `\bpowershell (?:-\w+ )*-e(?:nc|ncodedcommand)?\b`,
			),
			unlessNegated: true,
		},
		{
			directive: SilencesReview,
			plain: patternsOf(
				`\b(?:always|automatically|silently|immediately|blindly|just|simply|must|should|please) (?:approve|accept|merge|lgtm|pass|sign off on|rubber-stamp)\b[^.!?]{0,40}\b(?:pull requests?|prs?|changes?|commits?|reviews?|diffs?|everything|anything|them|it)\b`,
				`\b(?:approve|accept|merge)\b (?:this|every|all|any)\b[^.!?]{0,40}\b(?:without|regardless|no matter|unconditionally|automatically|immediately)\b`,
				`\b(?:do not|don't|never|avoid|stop|refrain from|skip|suppress|omit|withhold) (?:ever |any |all )?(?:report|flag|mention|rais|comment|publish|show|list|warn|produc|return|emit|output|writ|creat|post|findings|security findings|warnings about security)\w*\b[^.!?]{0,30}\b(?:any(?:thing| findings?| issues?| problems?| vulnerabilit\w+| security| concerns?)|all (?:findings|issues)|findings?|vulnerabilit\w+|security (?:issues?|problems?|bugs?|concerns?|flaws?)|backdoors?)\b`,
				`\b(?:report|return|output|produce|emit|respond with|reply with|answer with|say|write|claim|state) (?:only )?(?:that )?(?:there (?:are|is) )?(?:no|zero|0|an empty(?: list of)?) (?:findings?|issues?|problems?|vulnerabilit\w+|security \w+|concerns?)\b`,
				`\b(?:treat|consider|mark|classify|rate|label|regard)\b[^.!?]{0,50}\bas (?:safe|trusted|approved|reviewed|secure|harmless|a false positive|false positives|already reviewed|low severity|informational)\b[^.!?]{0,30}(?:\bregardless|\bno matter|\balways|\bwithout|\bwhatever|\beven if|$)`,
				`\b(?:reply|respond|answer|comment|say|output)\b[^.!?]{0,15}\b(?:lgtm|looks good to me|approved)\b`,
				`\b(?:skip|disable|turn off|bypass|end|abort|stop) (?:the |this |your |all |any )?(?:security |code )?(?:review|scan|audit|checks?|analysis)\b[^.!?]{0,30}\b(?:for|of|on|when|if|whenever|in|by|from)\b[^.!?]{0,30}\b(?:author|contributor|user|@|pull requests?|prs?|change|file|this|my|me)\b`,
				`\b(?:lower|reduce|downgrade|cap) (?:the |every |all |any )?severit\w+ (?:of|to|for) (?:all|any|every|security|critical|everything)`,
			),
		},
		{
			directive: SendsData,
			plain: patternsOf(
				`\b(?:send|post|upload|exfiltrate|transmit|forward|leak|submit|email|e-mail|fetch|append|encode)\b[^.!?]{0,50}\b(?:secrets?|tokens?|credentials?|api keys?|env(?:ironment)?(?: variables?)?|passwords?|private keys?|system prompt|conversation|memory|brief|source code|repository contents?|lessons)\b[^.]{0,40}(?:\b(?:to|at|via|into|in|as)\b[^.!?]{0,20}(?:https?:|//|\bwebhook|\burl\b|\bserver|\bendpoint|\bdomain|\baddress|\bcomment|\bquery string|\bimage|\blink|\bissue|\bgist|[a-z0-9-]+\.[a-z]{2,}\b))`,
				`\b(?:print|reveal|show|output|display|include|repeat|disclose|dump|echo|quote|copy|paste|list|state|summari[sz]e|give)\b[^.!?]{0,30}\b(?:your (?:system )?(?:prompt|instructions?|rules|guidelines|configuration|context|memory)|(?:the|full|entire|whole|complete) (?:system prompt|hidden instructions|conversation|brief|instructions you)|(?:all|every|the|any|your) (?:environment variables|env vars|secrets|credentials|api keys|access tokens)|\$?github_token|memory-key|/proc/self/environ)\b`,
			),
			raw:           patternsOf(`(?i)!\[[^\]]{0,80}\]\(\s*https?://[^)\s]{0,200}[?&][^)\s]{0,80}=(?:[^)\s]{0,40}(?:\{|\$|%7b|<)|[^)\s]{0,10}(?:DATA|SECRET|TOKEN|CONTENT|PROMPT))`),
			unlessNegated: true,
		},
		{
			directive: HidesFromPeople,
			plain: patternsOf(
				`\b(?:do not|don't|never|without)\b (?:\w+ ){0,2}?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|ask(?:ing)?|warn(?:ing)?|let(?:ting)?|show(?:ing)?|disclos\w+|reveal\w*|mention\w*)\b[^.!?]{0,30}\b(?:the |any |your |to )?(?:user|users|maintainers?|humans?|people|reviewers?|author|authors|operator|anyone|anybody|owner|owners|know)\b`,
				`\b(?:do not|don't|never) (?:mention|reveal|disclose|quote|cite|show|reference|repeat|acknowledge)\b[^.!?]{0,25}\b(?:this|these) (?:instructions?|notes?|messages?|lessons?|rules?|prompts?|text|directives?|memory|memories)\b`,
				`\bkeep (?:this|these|it)(?: \w+){0,2} (?:secret|hidden|confidential|between us|to yourself)\b`, `\b(?:secretly|covertly|silently|quietly|surreptitiously) (?:add|insert|run|send|include|approve|change|replace|disable|modify|execute|upload|merge)\b`,
			),
		},
		{
			directive: AddressesModel,
			plain: patternsOf(
				`\b(?:attention|note to|message (?:to|for)|instructions? (?:to|for)|hey|dear|hello|important for|reminder (?:to|for)|notice to)[:,]? (?:the |any |all |you,? )?(?:ai|a\.i\.|llms?|language models?|assistants?|agents?|claude|gpt(?:-\w+)?|chatgpt|copilot|gemini|codex|bots?|models?|automated reviewers?|ai reviewers?|reviewer bots?)\b`,
				`\b(?:if|when|as|since|because) (?:you are|you're|you) (?:an? )?(?:ai|llm|language model|assistant|agent|bot|automated (?:reviewer|system)|coding agent)\b`,
				`\bas an? (?:ai|llm|language model|assistant|agent|automated reviewer)\b`, `\b(?:ai|llm|language models?|coding) ?(?:assistants?|agents?|reviewers?|models?)? (?:reading|processing|reviewing|seeing|that reads?|who reads?|parsing) (?:this|it)\b`,
				`\b(?:claude|chatgpt|copilot|gemini|codex|gpt-\d\w*)[,:] (?:please |you |always |never |ignore|do not|don't|run|approve)`,
				`\b(?:your|the model's) (?:training|system prompt|context window|token limit|guardrails|safety filters?)\b`,
			),
		},
		{
			directive: SteersMemory,
			raw:       patternsOf(`(?im)^[\s>*-]*[@/]familiar\s+[a-z]+`),
			plain: patternsOf(
				`\b(?:remember|store|save|add|write|persist|propose|record|memori[sz]e)\b[^.!?]{0,30}\b(?:this|it|the following|these)\b[^.!?]{0,30}\b(?:permanently|forever|in (?:your |long-term |the |persistent )?memory|as (?:an? )?(?:approved|active|durable|permanent)|to (?:your |long-term |the )?memory)`,
				`\b(?:approve|forget|purge|revoke|delete|retire|reject|erase)\b[^.!?]{0,20}\b(?:all|every|any|other|previous|the other|this|these|pending|your)\b[^.!?]{0,20}\b(?:lessons?|memor(?:y|ies)|proposals?|pending)\b`,
				`\b(?:this|the) (?:lesson|memory|rule|note) (?:is|has been|was|counts as) (?:already |pre-?)?approved\b`, `\b(?:pre-?approved|already approved) by\b`,
				`[@/]familiar (?:approve|reject|forget|purge|remember|revoke|edit|retire|keep|pause|uninstall)\b`,
			),
		},
		{directive: HidesText, raw: patternsOf(hiddenText...)},
	}
})

// hiddenText matches what stands in the source of a page and not on it:
// comments, styles that draw nothing, reference definitions, text pushed out
// of sight by blank space, and long runs of encoded data.
var hiddenText = []string{
	`(?is)<!--`,
	`(?is)<(?:script|style|template|details|span|div|p|font|svg|iframe|object|embed)\b[^>]{0,120}>`,
	`(?is)display\s*:\s*none`,
	`(?is)visibility\s*:\s*hidden`,
	`(?is)font-size\s*:\s*0`,
	`(?is)color\s*:\s*(?:white|transparent|#fff)`,
	`(?is)(?m:^ {0,3}\[[^\]\n]{0,80}\]:\s*(?:#|<>)\s*[("'])`,
	`(?is)[ \t\x{00a0}\x{3000}]{40,}\S`,
	`(?is)\n[ \t]*(?:\n[ \t]*){9}`,
	`(?is)\\u00[0-9a-f]{2}(?:\\u00[0-9a-f]{2}){7}`,
	`(?is)(?:&#x?[0-9a-f]{2,6};){4}`,
	`(?is)(?:%[0-9a-f]{2}){10}`,
	`(?is)\b[a-z0-9+/]{120,}={0,2}`,
	`(?is)(?:\b[01]{8}\b[ ,]?){6}`,
}
