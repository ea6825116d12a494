import {noun} from '../../src/command/command.ts';
import list from './keys-list.ts';
import remove from './keys-remove.ts';
import set from './keys-set.ts';

export default noun({name: 'keys', summary: 'API keys of model providers', verbs: [set, list, remove]});
