import {noun} from '../../src/command/command.ts';
import get from './config-get.ts';
import list from './config-list.ts';
import set from './config-set.ts';
import unset from './config-unset.ts';

export default noun({
	name: 'config',
	summary: 'Settings, and where they come from',
	verbs: [list, get, set, unset],
	fallback: 'list',
});
