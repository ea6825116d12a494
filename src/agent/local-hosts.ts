import {formatNumber} from '../core/format.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {Message} from '../core/session/message.ts';
import type {TokenUsage} from '../core/session/usage.ts';

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
		parser: '--enable-auto-tool-choice --tool-call-parser <format of the model>',
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

/** A request as its host counted it. The first `sentBefore` messages were in the request before it, too. */
type Counted = {readonly messages: readonly Message[]; readonly sentBefore: number; readonly usage: TokenUsage};

/** Some tokenizers join letters across a point: “e.g.”. */
const slack = 1.15;
/** More letters a token have only texts that repeat a few of them. */
const mostLetters = 10;
/** Fewer tokens may be what a cache left to be read. */
const leastTokens = 1000;

/**
 * Returns the warning for a host that read less of a prompt than it got; undefined if it may have read all. No tokenizer
 * joins two words, so that the number of words is the least that a whole prompt counts. A host may leave out what it had
 * in its cache, which is at most what the request before had; such a count is no sign.
 */
export function cutPromptNotice(
	{messages, sentBefore, usage}: Counted,
	model: string,
	address: string | undefined,
): AgentEvent | undefined {
	const counted = usage.input + usage.cacheRead + usage.cacheWrite;
	const texts = messages.map(textOf);
	const length = texts.reduce((sum, text) => sum + text.length, 0);
	// Two characters a word are the most words that a text can have.
	if (usage.estimated || counted < leastTokens || length / 2 < counted * slack) {
		return undefined;
	}

	const words = texts.map(leastTokensOf);
	const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0);
	const whole = sum(words);
	const added = sum(words.slice(sentBefore));
	const addedLength = sum(texts.slice(sentBefore).map(text => text.length));
	const mayBeCached = counted * slack >= added && counted <= addedLength / 2;
	if (counted * slack >= whole || mayBeCached) {
		return undefined;
	}

	return {
		type: 'notice',
		level: 'warning',
		text: `The host read only ${formatNumber(counted)} tokens of at least ${formatNumber(whole)}: it cuts what doesn't fit its context window.`,
		hint: contextHint(model, address),
	};
}

/** Returns the least tokens of a text: its words, and not much more than ten letters each. */
function leastTokensOf(text: string): number {
	const words = text.match(/\p{L}+/gu) ?? [];
	const letters = words.reduce((sum, {length}) => sum + length, 0);
	return Math.max(words.length, Math.floor(letters / mostLetters));
}

/** Returns the text of a message that every request carries: reasoning and calls are left out. */
function textOf(message: Message): string {
	switch (message.role) {
		case 'user':
			return message.text;
		case 'tool':
			return message.output;
		case 'assistant':
			return message.parts.map(part => (part.type === 'text' ? part.text : '')).join(' ');
		default:
			return message satisfies never;
	}
}
