import {renderResult} from '../command/render/render.ts';
import type {Result} from '../command/result.ts';
import {nameCommands} from '../core/command-words.ts';
import type {Environment} from '../core/environment.ts';
import type {ErrorReport} from '../core/error.ts';
import {hiddenReport} from '../core/secrets/hidden-report.ts';
import {wantsColor, wantsWords} from '../terminal/abilities.ts';
import {safeJson, safeText} from '../terminal/text/safe-text.ts';
import {createPalette, type Scheme} from '../terminal/text/style.ts';

type Output = {readonly write: (data: string) => unknown; readonly isTTY?: boolean; readonly columns?: number};

/** What decides on colours. The scheme is that of the user's theme. */
type Style = {readonly env: Environment; readonly scheme?: Scheme};

/**
 * Prints a command's result: drawn for users, or its data as JSON. A pipe gets uncut lines, and JSON on a single line, as
 * does the reader of a command that keeps running.
 */
export function printResult(
	result: Result,
	output: Output,
	{json, exact = false, ...style}: Style & {readonly json: boolean; readonly exact?: boolean},
): void {
	if (json && result.kind === 'lines' && result.records) {
		output.write(result.records.map(record => `${safeJson(record)}\n`).join(''));
		return;
	}

	if (json) {
		const data = 'data' in result && result.data !== undefined ? result.data : null;
		printJson(
			data === null && result.kind === 'text' ? {message: result.text} : data,
			output,
			output.isTTY && result.kind !== 'running' ? 2 : undefined,
		);
		return;
	}

	// Plain lines keep their bytes in a pipe: an exported file must not be wrapped.
	if (result.kind === 'lines' && !output.isTTY) {
		output.write(result.lines.map(line => `${line}\n`).join(''));
		return;
	}

	output.write(drawResult(result, output, {exact, ...style}));
}

/** Returns a result as text with a final newline; '' for an empty one. A pipe gets pages as Markdown. */
export function drawResult(
	result: Result,
	output: Pick<Output, 'isTTY' | 'columns'>,
	{exact = false, env, scheme}: Style & {readonly exact?: boolean},
): string {
	const width = output.isTTY ? output.columns || 80 : 10_000;
	const lines = renderResult(output.isTTY ? result : asMarkdown(result), {
		width,
		palette: createPalette({color: wantsColor(output, env), spoken: wantsWords(env), ...(scheme && {scheme})}),
		place: 'shell',
		exact,
	});
	return lines.map(line => `${line}\n`).join('');
}

function asMarkdown(result: Result): Result {
	switch (result.kind) {
		case 'page':
			return {kind: 'lines', lines: result.markdown.split('\n')};
		case 'group':
			return {...result, parts: result.parts.map(asMarkdown)};
		default:
			return result;
	}
}

/** True for a page of reference, or a group with one. */
export function isPage(result: Result): boolean {
	return result.kind === 'page' || (result.kind === 'group' && result.parts.some(isPage));
}

/** Prints an error to `output` as text, or as JSON for `--json`. */
export function printError(error: ErrorReport, output: Output, {json}: {readonly json: boolean}): void {
	const report = hiddenReport(error);
	if (json) {
		printJson({error: {...report, ...(report.hint && {hint: shellHint(report.hint)})}}, output);
		return;
	}

	printWarning(report.message, output, report.hint);
}

const shellHint = (hint: string) => nameCommands(hint, 'shell');

/** Prints the answer of a model: unchanged into a pipe, made safe on a terminal. Prints nothing for ''. */
export function printAnswer(text: string, output: Output): void {
	if (text) {
		output.write(`${(output.isTTY ? safeText(text) : text).replace(/\n$/, '')}\n`);
	}
}

/** Prints a value as JSON, on one line unless there is an indent. */
export function printJson(value: unknown, output: Output, indent?: number): void {
	output.write(`${safeJson(value, indent)}\n`);
}

/** Prints a sentence for the user, with a hint below it. */
export function printWarning(text: string, output: Output, hint?: string): void {
	output.write(`service: ${safeText(text)}\n${hint ? `  ${safeText(shellHint(hint))}\n` : ''}`);
}
