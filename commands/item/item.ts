import {noun} from '../../src/command/command.ts';
import schemas from './item-schemas.ts';
import stage from './item-stage.ts';

export default noun({name: 'item', summary: 'Items that agents record', verbs: [stage, schemas]});
