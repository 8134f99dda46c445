import * as THREE from 'three';

// A line around the selected body: its silhouette is drawn into a mask, and the border of the mask over the picture.

const kBorder = /* glsl */ `
  uniform sampler2D mask;
  uniform vec2 texel;
  uniform vec3 color;
  varying vec2 at;
  void main() {
    float inside = texture2D(mask, at).r;
    float most = 0.0;
    for (int i = 0; i < 12; ++i) {
      float angle = 6.2831853 * float(i) / 12.0;
      most = max(most, texture2D(mask, at + texel * 2.2 * vec2(cos(angle), sin(angle))).r);
    }
    float border = most * (1.0 - inside);
    if (border < 0.05) discard;
    gl_FragColor = vec4(color, border);
    #include <colorspace_fragment>
  }`;

export class Outline {
  readonly white = new THREE.MeshBasicMaterial({ color: 0xffffff, side: THREE.DoubleSide });
  private scene = new THREE.Scene();
  private target = new THREE.WebGLRenderTarget(1, 1, { samples: 0 });
  private material: THREE.ShaderMaterial;
  private screen: THREE.Mesh;
  private flat = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 1);

  constructor() {
    this.material = new THREE.ShaderMaterial({
      uniforms: { mask: { value: this.target.texture }, texel: { value: new THREE.Vector2() }, color: { value: new THREE.Color() } },
      vertexShader: 'varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }',
      fragmentShader: kBorder,
      transparent: true,
      depthTest: false,
      depthWrite: false,
    });
    this.screen = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.material);
    this.screen.frustumCulled = false;
  }

  draw(renderer: THREE.WebGLRenderer, camera: THREE.Camera, meshes: THREE.Mesh[], color: number): void {
    if (meshes.length === 0) return;
    const size = renderer.getDrawingBufferSize(new THREE.Vector2());
    this.target.setSize(size.x, size.y);
    this.material.uniforms.texel!.value.set(1 / size.x, 1 / size.y);
    this.material.uniforms.color!.value.set(color);
    this.scene.clear();
    for (const mesh of meshes) this.scene.add(mesh);
    const background = renderer.getClearColor(new THREE.Color());
    const alpha = renderer.getClearAlpha();
    renderer.setRenderTarget(this.target);
    renderer.setClearColor(0, 1);
    renderer.clear();
    renderer.render(this.scene, camera);
    renderer.setRenderTarget(null);
    renderer.setClearColor(background, alpha);
    const clears = renderer.autoClear;
    renderer.autoClear = false;
    renderer.render(this.screen, this.flat);
    renderer.autoClear = clears;
  }
}
