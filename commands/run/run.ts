import {noun} from '../../src/command/command.ts';
import claim from './run-claim.ts';
import items from './run-items.ts';
import list from './run-list.ts';

export default noun({name: 'run', summary: 'Runs of workflows', verbs: [list, items, claim]});
