import type {Tool} from '../../core/tool.ts';
import {createListFiles} from './list-files.ts';
import {createReadFile} from './read-file.ts';
import {createSearchText} from './search-text.ts';

/** All tools of the agent. `stateFolder` is where `service` keeps its state, which no tool shows. */
export function createTools(options: {readonly stateFolder: string}): readonly Tool[] {
	return [createListFiles(options), createReadFile(options), createSearchText(options)];
}
