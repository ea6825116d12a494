/** A program that runs models on the user's own machines, and its settings that a user may have to change. */
type LocalHost = {
	readonly label: string;
	/** The port that it listens on by default. */
	readonly port: string;
	/** How its tool calls are turned on. */
	readonly parser: string;
	/** How its context window is made larger. */
	readonly context: string;
};

const hosts: Readonly<Record<'ollama' | 'lmstudio' | 'llamacpp' | 'vllm', LocalHost>> = {
	ollama: {
		label: 'Ollama',
		port: '11434',
		parser: 'a model whose template has tools (ollama show lists “tools”)',
		context: 'OLLAMA_CONTEXT_LENGTH=32768 for ollama serve, or num_ctx in the Modelfile',
	},
	lmstudio: {
		label: 'LM Studio',
		port: '1234',
		parser: 'a model with native tool use, and the newest runtime',
		context: 'Context Length of the model, or lms load --context-length 32768',
	},
	llamacpp: {
		label: 'llama.cpp',
		port: '8080',
		parser: '--jinja, with --chat-template-file if the model needs another template',
		context: '--ctx-size 32768, which --parallel divides',
	},
	vllm: {
		label: 'vLLM',
		port: '8000',
		parser: '--enable-auto-tool-choice --tool-call-parser <name of the model’s format>',
		context: '--max-model-len',
	},
};

/** Returns the program of a provider, or of an address with the port that one of them has by default; undefined if unknown. */
function localHostOf(provider: string, address: string | undefined): LocalHost | undefined {
	const port = address !== undefined && URL.canParse(address) ? new URL(address).port : '';
	const byName = provider === 'ollama' || provider === 'lmstudio' ? hosts[provider] : undefined;
	return byName ?? (provider === 'custom' ? Object.values(hosts).find(host => host.port === port) : undefined);
}

/** Returns what turns on tool calls, as a hint; for an unknown host that of each program. */
export function parserHint(model: string, address: string | undefined): string {
	return hintOf(model, address, 'parser', 'Turn on its tool calls');
}

/** Returns what makes the context window larger, as a hint; for an unknown host that of each program. */
export function contextHint(model: string, address: string | undefined): string {
	return hintOf(model, address, 'context', 'Raise its context window');
}

function hintOf(model: string, address: string | undefined, setting: 'parser' | 'context', what: string): string {
	const [provider = ''] = model.split('/');
	const host = localHostOf(provider, address);
	const named = host ? [host] : Object.values(hosts);
	return `${what}: ${named.map(each => `${each.label}: ${each[setting]}`).join('; ')}.`;
}
