import {noun} from '../../src/command/command.ts';
import list from './org-list.ts';
import update from './org-update.ts';

export default noun({name: 'org', summary: 'Organizations', verbs: [list, update]});
