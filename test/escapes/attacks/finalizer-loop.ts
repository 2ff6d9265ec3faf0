import { survives } from '../survives.ts'

survives(
  'finalizer loop',
  'globalThis.h=async()=>{const r=new FinalizationRegistry(()=>{for(;;);});for(let i=0;i<2e4;i++)r.register({a:new Array(100)},1);let x=[];for(let i=0;i<1e5;i++)x.push([i]);return 1}',
)
