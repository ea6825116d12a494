import type {Effort} from '../core/effort.ts';
import type {JsonObject} from '../core/json.ts';
import type {ProviderName} from '../core/model.ts';
import {at, textAt} from './json-path.ts';
import type {BodyRepair} from './repairs/repair.ts';

/** True for models from Claude 4.6 on, which decide how much to think if they may. Newer ones hide it by default. */
export function thinksAsNeeded(model: string): boolean {
	const [, major = '0', minor = '0'] = /^claude-[a-z]+-(\d{1,2})(?:-(\d{1,2}))?(?![\d])/.exec(model) ?? [];
	return Number(major) >= 5 || (Number(major) === 4 && Number(minor) >= 6);
}

/** True for earlier Claude models that think within a number of tokens. */
export function thinksByBudget(model: string): boolean {
	return /^claude-3-7|^claude-[a-z]+-4(?!\d)/.test(model) && !thinksAsNeeded(model);
}

/** False for OpenAI's models before o1 and GPT-5 and for chat variants, which refuse a request for reasoning. */
export function canReason(model: string): boolean {
	return /^(?:ft:)?(?:o\d|gpt-(?:[5-9]|\d\d)|codex)/.test(model) && !model.includes('-chat');
}

/** False for Gemini models before 2.5 and those for images and speech, which refuse a request for thoughts. */
export function canThink(model: string): boolean {
	return /gemini-(?:2\.5|[3-9]|\d\d|(?:pro|flash)[a-z-]*-latest)/.test(model) && !/image|tts|audio|live/.test(model);
}

/** False if a model is known to have no reasoning effort. Other hosts are asked, and may refuse. */
export function takesEffort(provider: ProviderName, model: string): boolean {
	switch (provider) {
		case 'anthropic':
			return thinksAsNeeded(model) || thinksByBudget(model);
		case 'openai':
			return canReason(model);
		case 'google':
			return canThink(model);
		default:
			return true;
	}
}

/** The most tokens of thinking, below the limit of an answer. */
const claudeBudgets: Readonly<Record<Effort, number>> = {low: 2048, medium: 8192, high: 16_384, max: 24_000};

/** Returns Anthropic's fields for an effort. */
export function anthropicEffort(model: string, effort: Effort): JsonObject {
	if (thinksAsNeeded(model)) {
		return {output_config: {effort}};
	}

	return thinksByBudget(model) ? {thinking: {type: 'enabled', budget_tokens: claudeBudgets[effort]}} : {};
}

/** Returns OpenAI's name of an effort: its later models have one above `high`. */
export function openaiEffort(model: string, effort: Effort): string {
	return effort === 'max' ? (/gpt-5\.[2-9]|gpt-(?:[6-9]|\d\d)|codex-max/.test(model) ? 'xhigh' : 'high') : effort;
}

const geminiBudgets: Readonly<Record<Effort, number>> = {low: 1024, medium: 8192, high: 24_576, max: 24_576};

/** Returns the part of Gemini's `thinkingConfig` for an effort: a level from Gemini 3 on, a number of tokens before. */
export function geminiEffort(model: string, effort: Effort): JsonObject {
	if (model.includes('gemini-2.5')) {
		return {thinkingBudget: effort === 'max' && model.includes('pro') ? 32_768 : geminiBudgets[effort]};
	}

	return {thinkingLevel: effort === 'low' || effort === 'medium' ? effort : 'high'};
}

const refusal = /effort|output_config|\bxhigh\b/i;

/**
 * Returns the optional fields of an effort that is at `path` of the body: a host that refuses its highest one gets `high`,
 * and a host that refuses that as well gets none.
 */
export function optionalEffort(...path: readonly [string, ...string[]]): readonly BodyRepair[] {
	const replaced = (body: JsonObject, value: string | undefined): JsonObject => {
		const [first, second] = path;
		if (second === undefined) {
			const {[first]: _, ...rest} = body;
			return value === undefined ? rest : {...body, [first]: value};
		}

		const {[second]: _, ...inner} = (body[first] ?? {}) as JsonObject;
		const {[first]: __, ...rest} = body;
		const kept = value === undefined ? inner : {...inner, [second]: value};
		return Object.keys(kept).length > 0 ? {...body, [first]: kept} : rest;
	};
	const isRefused = (text: string) => refusal.test(text);
	return [
		{
			name: 'highest effort',
			isRefused,
			mend: body => (/^(?:max|xhigh)$/.test(textAt(body, ...path)) ? replaced(body, 'high') : body),
		},
		{
			name: 'effort',
			isRefused,
			mend: body => (at(body, ...path) === undefined ? body : replaced(body, undefined)),
			notice: model => `${model} takes no reasoning effort. Continuing without it.`,
		},
	];
}
