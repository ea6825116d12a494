/**
 * The context windows of families of models, in tokens, by their makers' model cards: of several sizes the smaller one, because
 * a request that doesn't fit costs more than an early summary. The first match counts.
 */
const families: readonly (readonly [RegExp, number])[] = [
	[/gemini-(?:1\.5|[2-9])/, 1_048_576],
	[/claude-(?:v?1|2|instant)/, 100_000],
	[/claude/, 200_000],
	[/gpt-3\.5/, 16_385],
	[/gpt-4-32k/, 32_768],
	[/gpt-[5-9]/, 272_000],
	[/gpt-oss|gpt-4|chatgpt-4o|codex|(?:^|\/)o[1-9]/, 128_000],
	[/llama-?4|llama-?v?3[p.]?[1-9]|nemotron/, 131_072],
	[/llama-?v?3/, 8192],
	[/llama-?v?2/, 4096],
	[/magistral/, 40_960],
	[/mixtral-8x22b/, 65_536],
	[/mixtral|mistral-7b|mistral-tiny|saba/, 32_768],
	[/mistral-(?:large|medium|small)|devstral|ministral|pixtral|codestral|nemo/, 131_072],
	[/kimi-k|glm-(?:4[p.][5-9]|[5-9])|deepseek|minimax-m|qwen-?3|gemma-?[34]|command-r|128k|grok/, 131_072],
	[/qwen|phi-/, 32_768],
	[/gemma/, 8192],
];

/** Most models that are sold today have at least this window. */
const usual = 32_768;

/** Returns the window that a model probably has, by its name. */
export function guessWindow(model: string): number {
	const name = model.toLowerCase();
	return families.find(([pattern]) => pattern.test(name))?.[1] ?? usual;
}
