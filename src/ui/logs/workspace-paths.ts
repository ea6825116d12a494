import {uuidSource} from '../../core/uuid.ts';
import type {StyledSpan} from '../../terminal/text/sgr.ts';
import {markRanges} from './log-spans.ts';

/** What may stand beside a path, but not in it. */
const beside = '\\s:"\'`()<>\\[\\]{},;=|';

/**
 * Returns what finds the folder at the beginning of a path: the working folder, or that of a sandbox or a runtime of our
 * server. It takes linear time: a path is tried once, from its beginning.
 */
export function workspacePattern(folder = ''): RegExp {
	const sandbox = `(?:/[^/${beside}]+)*?/(?:${uuidSource}/workspace|workspaces/${uuidSource})`;
	const local = folder.replace(/\/+$/, '').replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
	return new RegExp(`(?<![^${beside}])(?:file://)?(?:${local ? `${local}|` : ''}${sandbox})/(?=[^/${beside}])`, 'g');
}

/** Returns the spans without what the pattern finds in their whole text, whatever their colours are. */
export function withoutMatches(spans: readonly StyledSpan[], pattern: RegExp): readonly StyledSpan[] {
	const text = spans.map(span => span.text).join('');
	const ranges = text.includes('/')
		? [...text.matchAll(pattern)].map(({0: {length}, index}) => [index, index + length] as const)
		: [];
	return ranges.length === 0
		? spans
		: markRanges(spans, ranges, span => ({...span, text: ''})).filter(span => span.text !== '');
}
