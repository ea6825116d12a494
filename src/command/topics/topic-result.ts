import {noOwnKeys} from '../../editor/keymap/keymap.ts';
import type {Result} from '../result.ts';
import type {Topic} from './topics.ts';

/** Returns the page of a topic, with the keys in effect. It loads pages and renderer with the first page that is asked for. */
export async function topicResult(
	{name, summary}: Topic,
	ownKeys = noOwnKeys,
): Promise<Extract<Result, {kind: 'page'}>> {
	const [{pageOf}, {renderMarkdown}] = await Promise.all([
		import('./pages.ts'),
		import('../../terminal/markdown/markdown.ts'),
	]);
	const markdown = pageOf(name, ownKeys);
	return {kind: 'page', markdown, draw: renderMarkdown, data: {topic: name, summary, text: markdown}};
}
