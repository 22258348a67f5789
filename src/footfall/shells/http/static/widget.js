((h,a)=>{const w="(1.4em*var(--footfall-lines,2) + 2*var(--footfall-space,.5em))",N=/^(https?:\/)?\//i,k=`
    :host {
      all: unset !important; display: block !important; width: 100% !important; min-width: 10em !important;
      contain: layout style !important; contain: layout style inline-size !important;
    }
    section {
      min-height: calc(2em + var(--limit)*${w}); margin: var(--footfall-margin, 0); padding: var(--footfall-padding, 0);
      font: var(--footfall-font, inherit); color: var(--footfall-color, inherit); text-align: start;
      background: var(--footfall-background, none); border-radius: var(--footfall-radius, 0);
    }
    .h {
      height: 2em; margin: 0; font: inherit; font-weight: 700; line-height: 1.6em; white-space: nowrap;
      overflow: hidden; text-overflow: ellipsis; color: var(--footfall-heading-color, inherit);
    }
    ol { margin: 0; padding: 0; list-style: none; counter-reset: r; }
    li {
      box-sizing: border-box; display: flex; gap: .6em; height: calc${w}; padding: var(--footfall-space, .5em) 0 0;
      line-height: 1.4em; counter-increment: r; border-top: 1px solid var(--footfall-rule-color, #8886);
    }
    li::before {
      content: counter(r); min-width: 1.2em; font-weight: 700; font-variant-numeric: tabular-nums;
      color: var(--footfall-rank-color, inherit);
    }
    a {
      align-self: start; overflow: hidden; overflow-wrap: anywhere; color: var(--footfall-link-color, inherit);
      text-decoration: none; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: var(--footfall-lines, 2);
    }
    a:hover, a:focus-visible { text-decoration: underline; }
    a:focus-visible { outline: 2px solid; outline-offset: -2px; }`,p=l=>{try{return l()}catch{}},O=(l,o)=>{const v=Math.min(20,Math.max(1,parseInt(o.limit)||5)),C=o.refresh&&Math.max(30,parseInt(o.refresh)||0)*1e3,c=(t,i="")=>{const e=a.createElement(t);return e.textContent=i,e},r=c("div"),f=c("section");let g,m=1,y,b,S=0;const R=()=>{const t=r.attachShadow({mode:"open"}),i=p(()=>new CSSStyleSheet);i&&t.adoptedStyleSheets?(i.replaceSync(k),t.adoptedStyleSheets=[i]):t.append(c("style",k)),r.className="footfall-widget",f.lang=o.lang||"",f.style.setProperty("--limit",v),f.setAttribute("aria-labelledby","h"),t.append(f)},M=()=>{o.target?a.querySelector(o.target).append(r):l.after(r)},T=()=>{const t=[],i=s=>{const d=s.getBoundingClientRect();d.height&&d.bottom>0&&d.top<h.innerHeight&&t.push(d.left,d.top)},e=a.createRange();let n=r.isConnected?r:o.target?a.querySelector(o.target):l;for(o.target&&n==r&&(n=r.parentNode);n&&n!=a.documentElement;n=n.parentNode){i(n.parentNode);for(let s=n.nextSibling;s;s=s.nextSibling)e.selectNode(s),i(s.getBoundingClientRect?s:e)}return t+""},u=()=>{if(!(y&&!r.isConnected)&&(m!=r.isConnected&&(p(()=>{const[t,i]=m?[M,()=>r.remove()]:[()=>r.remove(),M],e=h.performance.getEntriesByType("paint")[0],n=e&&T();t(),e&&T()!=n&&i()}),y=r.isConnected),m!=r.isConnected&&!b)){b=1;const t=()=>setTimeout(()=>{b=0,u()},200);h.addEventListener("scroll",t,{capture:!0,once:!0,passive:!0})}},P=t=>{const i=t.filter(n=>String(n.title||"").trim()&&N.test(n.address||n.assetId)).slice(0,v).map(n=>[n.address||n.assetId,n.title]),e=JSON.stringify(i);if(i[0]&&e!=g&&!r.shadowRoot.activeElement){g=e;const n=c("ol");for(const[d,_]of i){const x=c("a",_);x.href=d,x.dir="auto";const I=c("li");I.append(x),n.append(I)}const s=c(/^[3-6]$/.test(o.level)?"h"+o.level:"h2",o.title||"Most read");s.className=s.id="h",f.textContent="",f.append(s,n)}},A=()=>{const t={author:o.author,brand:o.brand,exclude:o.exclude,limit:v*2,paidType:o.paid,period:o.period||"day",resourceType:o.type,section:o.section,sort:o.sort,tag:o.tag},i=Object.keys(t).filter(e=>t[e]).map(e=>e+"="+encodeURIComponent(t[e]).replace(/%2C/g,","));return new URL("v1/popular?"+i.join("&"),l.src)},L=()=>{const t=new AbortController,i=setTimeout(()=>t.abort(),8e3);new Promise(e=>e(h.fetch(A(),{signal:t.signal,credentials:"omit",referrerPolicy:"no-referrer"}))).then(e=>e.ok&&e.json()).then(e=>{P(e.items),S=0}).catch(()=>S++).then(()=>{clearTimeout(i),m=g?1:0,u(),W()}).catch(()=>{})},W=()=>{C&&setTimeout(E,C*(.9+Math.random()/5)*2**Math.min(S,5))},E=()=>{a.hidden?a.addEventListener("visibilitychange",()=>setTimeout(E,Math.random()*2e3),{once:!0}):(r.isConnected||!y)&&p(L)};R(),u(),a.addEventListener("DOMContentLoaded",u),L()};p(()=>{const l=a.currentScript;l.tagName=="SCRIPT"&&O(l,l.dataset)})})(window,document);
