import {isInstruction, tokensOfFile} from '../../../agent/project/instruction-text.ts';
import {inEffect, locationOf, type ProjectState} from '../../../agent/project/project.ts';
import {formatCount} from '../../../core/format.ts';
import type {Result} from '../../result.ts';

/** Returns the instruction files that the agent follows, with the tokens that each takes. */
export function memoryTable(state: ProjectState): Result {
	const files = inEffect(state)
		.filter(isInstruction)
		.map(file => ({file, tokens: tokensOfFile(file)}));
	const total = files.filter(({file}) => !file.isNested).reduce((sum, {tokens}) => sum + tokens, 0);
	const unused = state.files.filter(file => isInstruction(file) && !files.some(used => used.file === file)).length;
	return {
		kind: 'table',
		title: 'Instructions for the agent',
		columns: [{label: 'file', cut: 'middle'}, {label: 'used'}, {label: 'tokens', align: 'right'}],
		rows: files.map(({file, tokens}) => [
			file.path,
			file.isNested ? 'for files in that folder' : 'in each request',
			formatCount(tokens),
		]),
		empty: 'No instruction files in effect. Write AGENTS.md with `/memory init`.',
		notes: [
			...(total > 0 ? [`About ${formatCount(total)} tokens in each request.`] : []),
			...(unused > 0 ? [`${unused} not trusted, so not used: see \`trust\`.`] : []),
		],
		data: {
			tokens: total,
			files: files.map(({file, tokens}) => ({
				path: locationOf(file, state),
				kind: file.kind,
				nested: file.isNested ?? false,
				tokens,
			})),
		},
	};
}
