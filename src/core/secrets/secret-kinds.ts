/**
 * Credentials that are recognizable in any text, by the prefix that their vendor gave them and enough characters after
 * it. This is the only such list. Each entry is the source of a regular expression that runs in linear time and starts
 * where no letter or digit precedes it.
 */
export const secretKinds: Readonly<Record<string, string>> = {
	'our server': String.raw`sv[acdiprsx]_[\w-]{40,}`,
	// Names such as `sk-circle-fade-dot` are not keys: a key has a known second part or a digit.
	'OpenAI, Anthropic, OpenRouter, DeepSeek': String.raw`sk-(?:(?:ant|proj|svcacct|admin|or)-|(?=[\w-]{0,80}\d)[\w-]{8})[\w-]{10,}`,
	xAI: String.raw`xai-\w{20,}`,
	Groq: String.raw`gsk_\w{20,}`,
	Cerebras: String.raw`csk-\w{20,}`,
	Fireworks: String.raw`fw_\w{20,}`,
	Together: String.raw`tgp_v\d_[\w-]{20,}`,
	Perplexity: String.raw`pplx-\w{20,}`,
	Replicate: String.raw`r8_\w{30,}`,
	'Hugging Face': 'hf_[A-Za-z0-9]{20,}',
	'Google API key': String.raw`AIza[\w-]{30,}`,
	'Google OAuth': String.raw`(?:GOCSPX-|ya29\.)[\w-]{20,}`,
	GitHub: String.raw`(?:gh[oprsu]_\w{20,}|github_pat_\w{20,})`,
	GitLab: String.raw`glpat-[\w-]{16,}`,
	'AWS key id': String.raw`A(?:KIA|SIA)[A-Z0-9]{16}\b`,
	Slack: String.raw`(?:xox[abeoprs]|xapp)-[\w-]{10,}`,
	Stripe: String.raw`[sr]k_(?:live|test)_\w{10,}`,
	npm: 'npm_[A-Za-z0-9]{30,}',
	PyPI: String.raw`pypi-[\w-]{40,}`,
	SendGrid: String.raw`SG\.[\w-]{16,}\.[\w-]{16,}`,
	DigitalOcean: String.raw`do[opr]_v1_\w{40,}`,
	Docker: String.raw`dckr_pat_[\w-]{20,}`,
	Vault: String.raw`hv[bs]\.[\w-]{20,}`,
	age: 'AGE-SECRET-KEY-1[A-Z0-9]{40,}',
	/**
	 * A JSON Web Token (RFC 7519): header and claims are JSON objects in base64url. A header ends where another may
	 * begin; otherwise each would be read to the end of the text.
	 */
	'JSON Web Token': String.raw`eyJ(?:[^\W_]|[_-](?!eyJ)){8,8192}\.[\w-]{8,}\.[\w-]{0,}`,
};

/** No credential is longer. An open end would run the engine out of stack on a line of many megabytes. */
const longest = 65_536;

const anyKind = new RegExp(
	`(?<![A-Za-z0-9])(?:${Object.values(secretKinds).join('|').replaceAll(',}', `,${longest}}`)})`,
	'g',
);

/**
 * Expressions without look-around, for engines of linear time: at least one matches every credential of a known kind,
 * and other text too.
 */
export const looseSecretKinds: readonly string[] = Object.values(secretKinds).map(source =>
	source.replace(/\(\?[=!][^)]*\)/g, '').replace(/\{(\d+),\d*\}/g, '{$1,}'),
);

/** Replaces each credential of a known kind with `by`. */
export function replaceKnownSecrets(text: string, by: string): string {
	return text.replace(anyKind, by);
}

/** True if the text contains a credential of a known kind. */
export function hasKnownSecret(text: string): boolean {
	return text.search(anyKind) !== -1;
}
