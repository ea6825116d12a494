import {expect, test} from 'vitest';
import {createToolSet} from '../../../src/agent/mcp/tool-set.ts';
import type {Tool, ToolContext} from '../../../src/core/session/tool.ts';
import {learnToolLimit, toolLimitOf} from '../../../src/providers/tool-limits.ts';

const toolNamed = (name: string): Tool => ({
	name,
	description: 'Does it.',
	parameters: {type: 'object', properties: {}},
	readOnly: false,
	run: async () => '',
});
const many = Array.from({length: 160}, (_, index) => toolNamed(`mcp__s__do_${index}`));
const namesOf = (tools: readonly Tool[]) => tools.map(({name}) => name);

test('more tools than the host takes are searched for, however small they are', async () => {
	const set = createToolSet();
	set.callable(many);
	const shown = set.shown(many, undefined, 128 - 14);
	expect(namesOf(shown)).toEqual(['search_tools']);
	await shown[0]?.run({query: 'do 7'}, {} as ToolContext);
	const later = set.shown(many, undefined, 114);
	expect(later[0]?.name).toBe('search_tools');
	expect(later.length).toBeGreaterThan(1);
	expect(set.shown(many, undefined, 3).length).toBeLessThanOrEqual(3);
});

test('a few tools are all sent, and the search only stands by for a host that takes fewer', () => {
	const set = createToolSet();
	const shown = set.shown(many.slice(0, 5), undefined, 114);
	expect(namesOf(shown.filter(tool => tool.isFallback !== true))).toEqual(namesOf(many.slice(0, 5)));
	expect(namesOf(shown.filter(tool => tool.isFallback === true))).toEqual(['search_tools']);
});

test('the limit of a host that says so is lower from then on, for this model', () => {
	const host = 'https://one.example/v1';
	expect(toolLimitOf('custom/small', host)).toBe(128);
	learnToolLimit('custom/small', host, 20);
	learnToolLimit('custom/small', host, 64);
	expect(['custom/small', 'custom/other', 'anthropic/x'].map(model => toolLimitOf(model, host))).toEqual([
		20, 128, 1000,
	]);
});

test('another host that runs a model of the same name keeps its own limit', () => {
	learnToolLimit('custom/same', 'https://one.example/v1', 20);
	expect(toolLimitOf('custom/same', 'https://other.example/v1')).toBe(128);
});
