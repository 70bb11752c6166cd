"""Cases of the ragged tensors in `ops/ragged*.py`."""
# ruff: noqa: E501  # a case stands on one line

_RAW = r"""
tf.ragged.constant([[1,2],[],[3]])
str(tf.ragged.constant([[1,2],[],[3]]))
tf.ragged.constant([[[1.,2],[3]],[],[[4]]])
str(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]))
tf.RaggedTensor.from_uniform_row_length([1,2,3,4],2)
tf.RaggedTensor.from_uniform_row_length([1,2,3,4],2).shape
tf.ragged.constant([[1,2],[],[3]]).shape
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).shape
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).bounding_shape()
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).bounding_shape(axis=1)
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).bounding_shape(axis=[0,2])
tf.is_tensor(tf.ragged.constant([[1,2],[],[3]]))
tf.ragged.constant([[1,2],[],[3]]).numpy()
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).numpy()
tf.RaggedTensor.from_uniform_row_length([1,2,3,4],2).numpy()
tf.ragged.constant([[1,2],[],[3]])[0]
tf.ragged.constant([[1,2],[],[3]])[1:]
tf.ragged.constant([[1,2],[],[3]])[:,0:1]
tf.ragged.constant([[1,2],[],[3]])[:,0]
tf.RaggedTensor.from_uniform_row_length([1,2,3,4],2)[:,0]
tf.ragged.constant([[1,2],[],[3]])[5]
tf.ragged.constant([[1,2],[],[3]])[-1]
tf.ragged.constant([[1,2],[],[3]])[0,1]
tf.ragged.constant([[1,2],[],[3]])[0,5]
tf.ragged.constant([[1,2],[],[3]])[::2]
tf.ragged.constant([[1,2],[],[3]])[...]
tf.ragged.constant([[1,2],[],[3]])[..., 0]
tf.ragged.constant([[1,2],[],[3]])[tf.newaxis]
tf.ragged.constant([[1,2],[],[3]])[:,tf.newaxis]
tf.ragged.constant([[1,2],[],[3]])[:,:,tf.newaxis]
tf.ragged.constant([[[1.,2],[3]],[],[[4]]])[:,0:1]
tf.ragged.constant([[[1.,2],[3]],[],[[4]]])[0]
tf.ragged.constant([[[1.,2],[3]],[],[[4]]])[0,0]
tf.ragged.constant([[[1.,2],[3]],[],[[4]]])[0,0,1]
tf.ragged.constant([[[1.,2],[3]],[],[[4]]])[:,:,0:1]
tf.ragged.constant([[[1.,2],[3]],[],[[4]]])[...,0:1]
tf.ragged.constant([[[1.,2],[3]],[],[[4]]])[:,::-1]
tf.ragged.constant([[1,2],[],[3]])[[1]]
tf.ragged.constant([[1,2],[],[3]])['a']
tf.ragged.constant([[1,2],[],[3]])[1.0]
tf.ragged.constant([[1,2],[],[3]])[tf.constant(0)]
tf.ragged.constant([[1,2],[],[3]])==tf.ragged.constant([[1,2],[],[3]])
tf.ragged.constant([[1,2],[],[3]])==1
tf.ragged.constant([[1,2],[],[3]])!=None
tf.ragged.constant([[1,2],[],[3]])==None
tf.ragged.constant([[1,2],[],[3]])+tf.ragged.constant([[1,2],[],[3]])
tf.ragged.constant([[1,2],[],[3]])+1
1+tf.ragged.constant([[1,2],[],[3]])
tf.ragged.constant([[1,2],[],[3]])+tf.constant([[1],[2],[3]])
tf.ragged.constant([[1,2],[],[3]])+tf.constant([1,2,3])
tf.ragged.constant([[1,2],[],[3]])+tf.constant([[1,2],[3,4]])
tf.ragged.constant([[1,2],[],[3]])+tf.ragged.constant([[1,2,3],[],[1]])
tf.ragged.constant([[[1.,2],[3]],[],[[4]]])+tf.constant([[[1.,2],[3,4]]])
tf.add(tf.ragged.constant([[1,2],[],[3]]),tf.RaggedTensor.from_uniform_row_length([1,2,3,4],2))
tf.abs(tf.ragged.constant([[1,2],[],[3]]))
tf.cast(tf.ragged.constant([[1,2],[],[3]]),tf.float32)
tf.rank(tf.ragged.constant([[1,2],[],[3]]))
tf.ragged.constant([[1,2],[],[3]]).shape.as_list()
tf.zeros_like(tf.ragged.constant([[1,2],[],[3]]))
tf.reduce_sum(tf.ragged.constant([[1,2],[],[3]]))
tf.reduce_sum(tf.ragged.constant([[1,2],[],[3]]),axis=0)
tf.reduce_sum(tf.ragged.constant([[1,2],[],[3]]),axis=1)
tf.reduce_sum(tf.ragged.constant([[1,2],[],[3]]),axis=1,keepdims=True)
tf.reduce_sum(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]),axis=2)
tf.reduce_sum(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]),axis=[1,2])
tf.reduce_sum(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]),axis=[0,1,2])
tf.reduce_sum(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]),axis=1)
tf.reduce_mean(tf.ragged.constant([[1,2],[],[3]]),axis=1)
tf.reduce_mean(tf.ragged.constant([[1,2],[],[3]]),axis=0)
tf.reduce_mean(tf.cast(tf.ragged.constant([[1,2],[],[3]]),tf.float32),axis=1)
tf.reduce_mean(tf.ragged.constant([[1,2],[],[3]]))
tf.reduce_max(tf.ragged.constant([[1,2],[],[3]]),axis=1)
tf.reduce_min(tf.ragged.constant([[1,2],[],[3]]),axis=0)
tf.reduce_prod(tf.ragged.constant([[1,2],[],[3]]),axis=1)
tf.reduce_all(tf.ragged.constant([[1,2],[],[3]])>1,axis=1)
tf.reduce_any(tf.ragged.constant([[1,2],[],[3]])>1,axis=0)
tf.reduce_sum(tf.ragged.constant([[1,2],[],[3]]),axis=2)
tf.reduce_sum(tf.ragged.constant([[1,2],[],[3]]),axis=-1)
tf.ragged.constant([[1,2],[],[3]]).to_tensor()
tf.ragged.constant([[1,2],[],[3]]).to_tensor(default_value=9)
tf.ragged.constant([[1,2],[],[3]]).to_tensor(shape=[None,3])
tf.ragged.constant([[1,2],[],[3]]).to_tensor(shape=[2,1])
tf.ragged.constant([[1,2],[],[3]]).to_tensor(shape=[None])
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).to_tensor()
tf.ragged.constant([[1,2],[],[3]]).nrows()
tf.ragged.constant([[1,2],[],[3]]).row_lengths()
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).row_lengths(axis=2)
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).nested_row_lengths()
tf.ragged.constant([[1,2],[],[3]]).value_rowids()
tf.ragged.constant([[1,2],[],[3]]).row_starts()
tf.ragged.constant([[1,2],[],[3]]).row_limits()
tf.ragged.constant([[1,2],[],[3]]).uniform_row_length
tf.RaggedTensor.from_uniform_row_length([1,2,3,4],2).uniform_row_length
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).nested_row_splits
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).ragged_rank
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).merge_dims(0,1)
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).merge_dims(1,2)
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).merge_dims(0,2)
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).merge_dims(-2,-1)
tf.ragged.constant([[[1.,2],[3]],[],[[4]]]).with_values(tf.ragged.constant([[1,2],[],[3]]))
tf.ragged.constant([[1,2],[],[3]]).with_flat_values(tf.constant([7.,8,9]))
tf.ragged.constant([[1,2],[],[3]]).with_flat_values([7.,8])
tf.ragged.constant([[1,2],[],[3]]).with_values([7,8])
tf.ragged.constant([[1,2],[],[3]]).with_row_splits_dtype(tf.int32)
tf.nest.flatten(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]),expand_composites=True)
tf.nest.flatten(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]))
tf.ragged.constant([[1,2],[],[3]]).dtype
tf.ragged.constant([[1,2],[],[3]]).consumers()
tf.RaggedTensor.from_row_splits([1,2,3],[0,2,3])
tf.RaggedTensor.from_row_splits([1,2,3],[0,2,2])
tf.RaggedTensor.from_row_splits([1,2,3],[1,2,3])
tf.RaggedTensor.from_row_splits([1,2,3],[0,2,1,3])
tf.RaggedTensor.from_row_splits([1,2,3],[])
tf.RaggedTensor.from_row_splits([1,2,3],[0.,3.])
tf.RaggedTensor.from_row_splits(1,[0,1])
tf.RaggedTensor.from_row_lengths([1,2,3],[2,1])
tf.RaggedTensor.from_row_lengths([1,2,3],[2,2])
tf.RaggedTensor.from_row_lengths([1,2,3],[-1,4])
tf.RaggedTensor.from_value_rowids([1,2,3],[0,0,2])
tf.RaggedTensor.from_value_rowids([1,2,3],[0,0,2],nrows=4)
tf.RaggedTensor.from_value_rowids([1,2,3],[0,0,2],nrows=2)
tf.RaggedTensor.from_value_rowids([1,2,3],[0,2,1])
tf.RaggedTensor.from_value_rowids([1,2,3],[0,2])
tf.RaggedTensor.from_value_rowids([],[])
tf.RaggedTensor.from_row_starts([1,2,3],[0,2])
tf.RaggedTensor.from_row_starts([1,2,3],[1,2])
tf.RaggedTensor.from_row_limits([1,2,3],[2,3])
tf.RaggedTensor.from_row_limits([1,2,3],[2,2])
tf.RaggedTensor.from_uniform_row_length([1,2,3,4,5,6],3)
tf.RaggedTensor.from_uniform_row_length([1,2,3,4,5],3)
tf.RaggedTensor.from_uniform_row_length([],0,nrows=3)
tf.RaggedTensor.from_uniform_row_length([],0)
tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1,2],[],[3]]),3)
tf.RaggedTensor.from_nested_row_splits([1,2,3],[[0,1,2],[0,2,3]])
tf.RaggedTensor.from_nested_row_splits([1,2,3],[])
tf.RaggedTensor.from_nested_row_splits([1,2,3],3)
tf.RaggedTensor.from_nested_row_lengths([1,2,3],[[1,1],[2,1]])
tf.RaggedTensor.from_nested_value_rowids([1,2,3],[[0,1],[0,0,1]],[3,2])
tf.RaggedTensor.from_tensor([[1,2],[3,4]])
tf.RaggedTensor.from_tensor([[1,2],[3,4]],lengths=[1,2])
tf.RaggedTensor.from_tensor([[1,0],[3,4]],padding=0)
tf.RaggedTensor.from_tensor([[[1,0],[3,4]]],ragged_rank=2)
tf.RaggedTensor.from_tensor([1,2])
tf.RaggedTensor.from_tensor([[1,2],[3,4]],lengths=[1,2],padding=0)
tf.RaggedTensor.from_tensor([[1,2],[3,4]],ragged_rank=0)
tf.ragged.constant([])
tf.ragged.constant([[]])
tf.ragged.constant([1,2])
tf.ragged.constant(3)
tf.ragged.constant([[1,2],3])
tf.ragged.constant([[[1,2],[3,4]]],inner_shape=(2,))
tf.ragged.constant([[[1,2],[3,4]]],ragged_rank=1)
tf.ragged.constant([[[1,2],[3,4]],[[5,6]]],ragged_rank=1)
tf.ragged.constant([[1,2],[3]],ragged_rank=2)
tf.ragged.constant([[1,2],[3]],dtype=tf.float64,row_splits_dtype=tf.int32)
tf.ragged.constant([["a","b"],[]])
tf.ragged.constant([[1.5],[True]])
tf.ragged.constant([np.array([1,2]),np.array([3])])
tf.ragged.constant([[[],[]],[]])
tf.ragged.range(3)
tf.ragged.range([2,3,0])
tf.ragged.range([0,5],[3,8],2)
tf.ragged.range([0,5],[3,8],[-1,1])
tf.ragged.range([0.,1.],[1.,2.],0.5)
tf.ragged.range([1],[2],0)
tf.ragged.range([2,3],row_splits_dtype=tf.int32)
tf.ragged.row_splits_to_segment_ids([0,2,2,3])
tf.ragged.segment_ids_to_row_splits([0,0,2])
tf.ragged.segment_ids_to_row_splits([0,0,2],num_segments=5)
tf.ragged.boolean_mask([[1,2],[3,4]],[[True,False],[True,True]])
tf.ragged.boolean_mask([[1,2],[3,4]],[True,False])
tf.ragged.boolean_mask(tf.ragged.constant([[1,2],[],[3]]),tf.ragged.constant([[True,False],[],[True]]))
tf.ragged.boolean_mask(tf.ragged.constant([[1,2],[],[3]]),[True,False,True])
tf.ragged.boolean_mask(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]),tf.ragged.constant([[True,False],[],[True]]))
tf.ragged.map_flat_values(tf.add,tf.ragged.constant([[1,2],[],[3]]),10)
tf.ragged.map_flat_values(tf.add,tf.ragged.constant([[1,2],[],[3]]),tf.ragged.constant([[1,2],[],[3]]))
tf.ragged.map_flat_values(lambda x:x[:1],tf.ragged.constant([[1,2],[],[3]]))
tf.ragged.stack([tf.ragged.constant([[1,2],[],[3]]),tf.ragged.constant([[1,2],[],[3]])])
tf.ragged.stack([tf.ragged.constant([[1,2],[],[3]]),tf.ragged.constant([[1,2],[],[3]])],axis=1)
tf.ragged.stack([[1,2],[3]])
tf.ragged.stack([tf.constant([1,2]),tf.constant([3])])
tf.ragged.stack([])
tf.stack([tf.ragged.constant([[1,2],[],[3]]),tf.ragged.constant([[1,2],[],[3]])])
tf.stack([tf.ragged.constant([[1,2],[],[3]]),tf.ragged.constant([[1,2],[],[3]])],axis=1)
tf.stack([tf.ragged.constant([[1,2],[],[3]]),tf.ragged.constant([[1,2],[],[3]])],axis=2)
tf.ragged.stack_dynamic_partitions([1,2,3,4],[1,0,1,3],4)
tf.ragged.stack_dynamic_partitions(tf.ragged.constant([[1,2],[],[3]]),[1,0,1],3)
tf.concat([tf.ragged.constant([[1,2],[],[3]]),tf.ragged.constant([[1,2],[],[3]])],0)
tf.concat([tf.ragged.constant([[1,2],[],[3]]),tf.ragged.constant([[1,2],[],[3]])],1)
tf.concat([tf.ragged.constant([[1,2],[],[3]]),[[9],[8],[7]]],1)
tf.concat([tf.ragged.constant([[[1.,2],[3]],[],[[4]]]),tf.ragged.constant([[[1.,2],[3]],[],[[4]]])],2)
tf.concat([tf.ragged.constant([[1,2],[],[3]])],0)
tf.gather(tf.ragged.constant([[1,2],[],[3]]),[2,0])
tf.gather(tf.ragged.constant([[1,2],[],[3]]),2)
tf.gather(tf.ragged.constant([[1,2],[],[3]]),[[2],[0]])
tf.gather(tf.ragged.constant([[1,2],[],[3]]),tf.ragged.constant([[2,0],[1]]))
tf.gather([10,20,30],tf.ragged.constant([[2,0],[1]]))
tf.gather(tf.ragged.constant([[1,2],[],[3]]),[3])
tf.gather(tf.ragged.constant([[1,2],[],[3]]),tf.ragged.constant([[0],[],[0,0]]),batch_dims=1)
tf.gather(tf.ragged.constant([[1,2],[],[3]]),[0],axis=1)
tf.gather(tf.ragged.constant([[[1,2],[3]],[[4],[5,6,7]],[[8],[9]]]),1,axis=1)
tf.gather(tf.ragged.constant([[[1,2],[3]],[[4],[5,6,7]],[[8],[9]]]),0,axis=1)
tf.gather(tf.ragged.constant([[[1,2],[3]],[[4],[5,6,7]],[[8],[9]]]),[1],axis=1)
tf.gather(tf.ragged.constant([[[1,2],[3]],[[4],[5,6,7]],[[8],[9]]]),[[1,0],[0,1]],axis=1)
tf.gather(tf.ragged.constant([[[1,2],[3]],[[4],[5,6,7]],[[8],[9]]]),[[1]],axis=1)
tf.gather(tf.ragged.constant([[[1,2],[3]],[[4],[5,6,7]],[[8],[9]]]),0,axis=2)
tf.gather(tf.ragged.constant([[[1,2],[3]],[[4],[5,6,7]],[[8],[9]]]),[0],axis=2)
tf.gather(tf.ragged.constant([[[1,2],[3]],[[4],[5,6,7]],[[8],[9]]]),1,axis=0)
tf.gather(tf.ragged.constant([[[1,2],[3]],[[4],[5,6,7]],[[8],[9]]]),-1,axis=0)
tf.gather(tf.ragged.constant([[1,2],[3,4]]),1,axis=1)
tf.gather(tf.ragged.constant([[[1,2],[3]],[[4],[5,6,7]],[[8],[9]]]),[[1]],batch_dims=1)
tf.gather_nd(tf.ragged.constant([[1,2,3],[4,5],[6,7,8,9]]),[1])
tf.gather_nd(tf.ragged.constant([[[1,2],[3]],[[4],[5,6,7]],[[8],[9]]]),[1])
tf.gather_nd(tf.ragged.constant([[[1,2],[3]],[[4],[5,6,7]],[[8],[9]]]),[[[1,1]],[[0,1]]])
tf.gather_nd(tf.ragged.constant([[1,2,3],[4,5],[6,7,8,9]]),tf.ragged.constant([[[1,1]],[[0,0],[0,1]]],ragged_rank=1))
tf.expand_dims(tf.ragged.constant([[1,2],[],[3]]),0)
tf.expand_dims(tf.ragged.constant([[1,2],[],[3]]),1)
tf.expand_dims(tf.ragged.constant([[1,2],[],[3]]),-1)
tf.squeeze(tf.expand_dims(tf.ragged.constant([[1,2],[],[3]]),0),0)
tf.squeeze(tf.expand_dims(tf.ragged.constant([[1,2],[],[3]]),-1),-1)
tf.squeeze(tf.ragged.constant([[1,2],[],[3]]))
tf.where(tf.ragged.constant([[1,2],[],[3]])>1)
tf.where(tf.ragged.constant([[1,2],[],[3]])>1,tf.ragged.constant([[1,2],[],[3]]),-tf.ragged.constant([[1,2],[],[3]]))
tf.where(tf.ragged.constant([[1,2],[],[3]])>1,tf.ragged.constant([[1,2],[],[3]]),0)
tf.where([True,False,True],tf.ragged.constant([[1,2],[],[3]]),-tf.ragged.constant([[1,2],[],[3]]))
tf.one_hot(tf.ragged.constant([[1,2],[],[3]]),4)
tf.ragged.cross([tf.ragged.constant([[1,2],[],[3]]),tf.ragged.constant([[1,2],[],[3]])])
tf.nn.softmax(tf.cast(tf.ragged.constant([[1,2],[],[3]]),tf.float32))
tf.identity(tf.ragged.constant([[1,2],[],[3]]))
tf.reshape(tf.ragged.constant([[1,2],[],[3]]),[-1])
tf.clip_by_value(tf.ragged.constant([[1,2],[],[3]]),1,2)
tf.nn.relu(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]))
tf.maximum(tf.ragged.constant([[1,2],[],[3]]),2)
tf.strings.join([tf.ragged.constant([["a"],["b","c"]]),"x"])
tf.strings.length(tf.ragged.constant([["a"],["b","cc"]]))
tf.strings.upper(tf.ragged.constant([["a"],["b","cc"]]))
tf.strings.reduce_join(tf.ragged.constant([["a"],["b","cc"]]),axis=1)
tf.strings.reduce_join(tf.ragged.constant([["a"],["b","cc"]]))
tf.strings.to_number(tf.ragged.constant([["1"],["2","3"]]))
tf.strings.as_string(tf.ragged.constant([[1,2],[],[3]]))
tf.strings.regex_replace(tf.ragged.constant([["1"],["2","3"]]),'1','x')
tf.strings.to_hash_bucket_fast(tf.ragged.constant([["1"],["2","3"]]),10)
tf.strings.substr(tf.ragged.constant([["123"],["234","345"]]),1,1)
tf.strings.split(tf.ragged.constant([["1 2"],["2","3 4"]]))
tf.ragged.range([50],[53])
tf.ragged.constant([list(range(100)),[1]])
str(tf.ragged.constant([list(range(100)),[1]]))
str(tf.ragged.constant([list(range(1500)),[1]]))
str(tf.ragged.constant([[i] *(i%3) for i in range(1500)]))
str(tf.ragged.constant([[1.5,2],[1e10]]))
str(tf.ragged.constant([["a"],[]]))
str(tf.ragged.constant([[True],[]]))
str(tf.RaggedTensor.from_row_splits([],[0]))
str(tf.RaggedTensor.from_row_splits([],[0,0]))
str(tf.RaggedTensor.from_row_splits(np.zeros([3,2]),[0,1,3]))
str(tf.RaggedTensor.from_row_splits(np.zeros([4,2]),[0,2,4]))
tf.RaggedTensor.from_row_splits([],[0]).numpy()
tf.RaggedTensor.from_row_splits(np.zeros([3,2]),[0,1,3]).numpy()
tf.RaggedTensor.from_row_splits(np.zeros([3,2]),[0,1,3]).shape
str(tf.RaggedTensor.from_row_splits(np.arange(30)+100000,[0,29,30]))
tf.ragged.boolean_mask([1,2],[[True]])
tf.ragged.boolean_mask([[1,2]],True)
tf.ragged.boolean_mask(tf.ragged.constant([[1],[2,3]]),tf.ragged.constant([[True],[True]]))
tf.gather(tf.ragged.constant([[1,2],[3]]),[[0],[0]],batch_dims=1)
tf.gather([[1,2,3],[4,5,6]],tf.ragged.constant([[1,2],[0]]),batch_dims=1)
tf.gather([[1,2,3],[4,5,6]],tf.ragged.constant([[1,2],[0]]),axis=1)
tf.expand_dims(tf.ragged.constant([[1,2],[3]]),5)
tf.concat([tf.ragged.constant([[1,2],[3]]),tf.ragged.constant([[1,2]])],1)
tf.concat([tf.ragged.constant([[1,2],[3]]),tf.ragged.constant([[1.,2]])],0)
tf.concat([tf.ragged.constant([[1,2],[3]]),[[7]]],0)
tf.concat([tf.ragged.constant([[1,2],[3]]),[[7]]],2)
tf.stack([tf.ragged.constant([[1,2],[3]]),[[7]]],0)
tf.ragged.constant([[1,2],[3]]).to_tensor(default_value=1.5)
tf.ragged.constant([[1,2],[3]]).to_tensor(default_value=[1,2])
tf.RaggedTensor.from_row_splits([[1,2],[3,4],[5,6]],[0,1,3]).to_tensor(default_value=[8,9])
tf.RaggedTensor.from_row_splits([[1,2],[3,4],[5,6]],[0,1,3]).to_tensor(default_value=[[8,9]])
tf.RaggedTensor.from_row_splits([[1,2],[3,4],[5,6]],[0,1,3]).to_tensor(shape=[None,1,None])
tf.RaggedTensor.from_row_splits([[1,2],[3,4],[5,6]],[0,1,3]).to_tensor(shape=[3,3,2])
tf.RaggedTensor.from_row_splits([[1,2],[3,4],[5,6]],[0,1,3]).to_tensor(shape=[3,3,3])
tf.ragged.constant([[1,2],[3]]).to_tensor(shape=tf.TensorShape([None,None]))
tf.ragged.constant([[1,2],[3]]).to_tensor(shape=[1,None])
tf.ragged.constant([[[1],[2,3]],[[4]]]).to_tensor(shape=[None,3,1])
tf.ragged.constant([[[1],[2,3]],[[4]]]).to_tensor(default_value=-1)
tf.ragged.cross([tf.ragged.constant([["a"],["b","c"]]),[["x"],["y"]]])
tf.ragged.constant([[1,2],[3]]).bounding_shape(out_type=tf.int32)
tf.ragged.constant([[1,2],[3]]).row_lengths(axis=2)
tf.ragged.constant([[1,2],[3]]).row_lengths(axis=0)
tf.RaggedTensor.from_row_splits([[1,2],[3,4],[5,6]],[0,1,3]).row_lengths(axis=2)
tf.where([True,False],tf.ragged.constant([["A","B"],["C"]]),tf.ragged.constant([["a"],["c","d","e"]]))
tf.reduce_max(tf.ragged.constant([[1.,2],[]]),axis=1)
tf.reduce_prod(tf.ragged.constant([[1.,2],[],[3,4]]),axis=0)
tf.reduce_sum(tf.RaggedTensor.from_row_splits([[1,2],[3,4],[5,6]],[0,1,3]),axis=2)
tf.reduce_sum(tf.RaggedTensor.from_row_splits([[1,2],[3,4],[5,6]],[0,1,3]),axis=1)
tf.reduce_sum(tf.RaggedTensor.from_row_splits([[1,2],[3,4],[5,6]],[0,1,3]),axis=[0,2])
tf.reduce_mean(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]),axis=[1,2])
tf.reduce_sum(tf.ragged.constant([[True]]),axis=1)
tf.reduce_sum(tf.ragged.constant([["a"]]),axis=1)
tf.reduce_sum(tf.ragged.constant([[1,2],[3]]),axis=[])
tf.reduce_sum(tf.ragged.constant([[1,2],[3]]),axis=[0,1],keepdims=True)
tf.reduce_sum(tf.ragged.constant([[1,2],[3]]),axis=0,keepdims=True)
tf.reduce_sum(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]),axis=[0,2])
tf.reduce_sum(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]),axis=[0,1])
tf.reduce_sum(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]),axis=0)
tf.reduce_sum(tf.ragged.constant([[[1.,2],[3]],[],[[4]]]),axis=2,keepdims=True)
""".strip().splitlines()

_ROWS = {
    "short": "tf.ragged.constant([[1.0, -2.0], [], [3.0]])",
    "deep": "tf.ragged.constant([[[1.0, 2.0], [3.0]], [], [[4.0], []]])",
    "wide": "tf.RaggedTensor.from_row_splits(f32(4, 3), [0, 1, 1, 4])",
    "mixed": "tf.RaggedTensor.from_uniform_row_length(tf.ragged.constant([[1.0], [2.0, 3.0]]), 1)",
    "empty": "tf.RaggedTensor.from_row_splits(f32(0), [0, 0, 0])",
    "ints": "tf.RaggedTensor.from_row_splits(i32(5), np.array([0, 2, 2, 5], np.int32))",
}
_REDUCE = ("sum", "prod", "max", "min", "mean")
_AXES = {"short": (0, 1, None), "deep": (0, 1, 2, -1, [0, 1], [1, 2], [0, 2], None)}
_AXES |= {"wide": _AXES["deep"], "mixed": (0, 1, 2, None), "empty": (1, None), "ints": (0, 1, None)}
_BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "equal", "less", "pow")
_UNARY = ("abs", "exp", "negative", "sign", "sqrt", "square", "tanh", "sigmoid", "ones_like")
_KEYS = ["0", "-1", "1:", ":2", "::2", "::-1", "...", "tf.newaxis", ":, 1:", ":, ::2", ":, :-1",
         ":, tf.newaxis", "0, 0", "5", "1:, :1"]  # fmt: skip

_ROW = _ROWS["short"]
_AXIS_ERRORS = [
    f"tf.{do}({_ROW}, {axis})" for do in ("reduce_sum", "expand_dims") for axis in (7, -7)
]

CASES = [
    *_AXIS_ERRORS,
    *[
        f"tf.tile({rows}, {n})"
        for rows in _ROWS.values()
        for n in ("[2, 1]", "[1, 2]", "[3, 2]")
        if "4, 3" not in rows and "[[[" not in rows and "uniform" not in rows
    ],
    *[f"tf.tile({_ROWS['deep']}, {n})" for n in ([2, 1, 1], [1, 2, 1], [1, 1, 2], [1, 2, 3])],
    *[
        f"tf.reverse({rows}, {axes})"
        for rows in _ROWS.values()
        for axes in ([0], [1], [-1], [0, 1])
    ],
    *[f"tf.size({rows})" for rows in _ROWS.values()],
    *[f"tf.rank({rows})" for rows in _ROWS.values()],
    *[f"{rows}.to_sparse()" for name, rows in _ROWS.items() if name not in ("empty",)],
    *[
        f"tf.RaggedTensor.from_sparse({rows}.to_sparse())"
        for name, rows in _ROWS.items()
        if name in ("short", "ints")
    ],
    "tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 1]], [1], [2, 2]))",
    "tf.RaggedTensor.from_sparse(tf.SparseTensor([[0]], [1], [2]))",
    "tf.RaggedTensor.from_sparse(3)",
    f"tf.gather_nd({_ROW}, [[0, 1], [2, 0]])",
    f"tf.gather_nd({_ROW}, [[0], [2]])",
    f"tf.gather_nd({_ROWS['deep']}, [[0, 1, 0]])",
    f"tf.gather_nd({_ROWS['deep']}, [[0, 1], [2, 1]])",
    f"tf.nest.flatten({_ROW}, expand_composites=True)",
    f"tf.nest.flatten([{_ROWS['deep']}, 1.0], expand_composites=True)",
    f"tf.where({_ROW} > 0, {_ROW}, -{_ROW})",
    f"tf.where({_ROW} > 0, {_ROW}, 7.0)",
    f"tf.where({_ROWS['deep']} > 1)",
    f"{_ROW} + tf.constant([[10.0], [20.0], [30.0]])",
    f"tf.constant([[10.0], [20.0], [30.0]]) * {_ROW}",
    f"1.0 - {_ROW}",
    f"{_ROWS['deep']} + tf.constant([[[1.0]], [[2.0]], [[3.0]]])",
    f"{_ROWS['deep']} * tf.constant([[[2.0]]])",
    f"{_ROWS['wide']} * tf.constant([1.0, 2.0, 3.0])",
    f"{_ROWS['wide']} + tf.constant([[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]], [[7.0, 8.0, 9.0]]])",
    f"-{_ROW}, abs({_ROW}), {_ROW} // 2.0, {_ROW} % 2.0, {_ROW} ** 2.0, {_ROW} / 2.0",
    f"{_ROW} == {_ROW}, {_ROW} != 1.0, {_ROW} < 2.0, ~({_ROW} > 0), ({_ROW} > 0) & ({_ROW} < 2)",
    *_RAW,
    *[
        f"tf.reduce_{how}({rows}, axis={axis}, keepdims={keep})"
        for name, rows in _ROWS.items()
        for how in _REDUCE
        for axis in _AXES[name]
        for keep in (False, True)
        # TensorFlow keeps one axis too many for all axes of values with inner dimensions.
        if not (how == "mean" and name == "empty")
        and not (name == "wide" and keep and axis is None)
    ],
    *[
        f"tf.{do}({rows}, {rows})"
        for do in _BINARY
        for name, rows in _ROWS.items()
        if name != "wide" and not (do == "pow" and name == "ints")
    ],
    *[f"tf.{do}({rows}, 2.0)" for do in _BINARY for name, rows in _ROWS.items() if name != "ints"],
    *[f"tf.{do}({rows})" for do in _UNARY for name, rows in _ROWS.items() if name != "ints"],
    *[
        f"{rows}[{key}]"
        for name, rows in _ROWS.items()
        for key in _KEYS
        if (name, key) not in {("empty", "0, 0"), ("short", "0, 0")}
    ],
    *[
        f"{rows}.{part}"
        for rows in _ROWS.values()
        for part in (
            "shape",
            "values",
            "flat_values",
            "row_splits",
            "nested_row_splits",
            "ragged_rank",
            "row_lengths()",
            "nested_row_lengths()",
            "value_rowids()",
            "nested_value_rowids()",
            "row_starts()",
            "row_limits()",
            "nrows()",
            "nrows(tf.int32)",
            "bounding_shape()",
            "to_list()",
            "to_tensor()",
            "to_tensor(9)",
            "merge_dims(0, 1)",
            "uniform_row_length",
            "with_row_splits_dtype(tf.int32)",
            "with_row_splits_dtype(tf.int32).row_splits",
            "dtype",
            "__repr__()",
        )
        if not (rows == _ROWS["wide"] and part == "__repr__()")
    ],
    *[f"tf.concat([{rows}, {rows}], {axis})" for rows in _ROWS.values() for axis in (0, 1, -1)],
    *[f"tf.stack([{rows}, {rows}], {axis})" for rows in _ROWS.values() for axis in (0, 1, -1)],
    *[f"tf.expand_dims({rows}, {axis})" for rows in _ROWS.values() for axis in (0, 1, 2, -1)],
    *[
        f"tf.gather({rows}, {places})"
        for rows in _ROWS.values()
        for places in ("1", "[1, 0]", "[[1], [0]]", "tf.ragged.constant([[1, 0], [1]])")
    ],
    *[f"tf.ragged.boolean_mask({rows}, [True, False, True])" for rows in _ROWS.values()],
    *[f"tf.ragged.stack([{rows}, {rows}], {axis})" for rows in _ROWS.values() for axis in (0, 1)],
    *[
        f"{rows}.to_tensor(shape={shape})"
        for rows in (_ROWS["short"], _ROWS["ints"])
        for shape in ("[None, 1]", "[5, 4]", "[None, None]", "[2, 2]", "[1, 2, 3]")
    ],
    *[
        f"tf.ragged.range({starts}, {limits}, {deltas})"
        for starts in ("[0, 3]", "0")
        for limits in ("[5, 5]", "[3.5, 0.5]", "4")
        for deltas in ("1", "-1", "[2, 3]", "0.5")
    ],
]

_INTS, _FLOATS = "tf.ragged.constant([[1, 2], [3]])", "tf.ragged.constant([[1.0, 2.0], [3.0]])"
_TEXTS = "tf.ragged.constant([['a', 'b'], ['c']])"

CASES += [  # Python values keep their own dtype where they meet a ragged tensor
    *[
        f"{left} {operator} {right}"
        for operator in ("+", "-", "*", "/", "//", "%", "**", ">", "==", "!=")
        for left, right in (
            *[(rows, other) for rows in (_INTS, _FLOATS) for other in ("2", "2.5")],
            ("2", _INTS), ("2", _FLOATS), ("2.5", _INTS), ("2.5", _FLOATS), (_INTS, _FLOATS),
        )
    ],
    *[
        f"tf.{name}({_INTS}, {other})"
        for name in ("add", "multiply", "maximum", "pow", "less", "equal", "math.floordiv",
                     "math.squared_difference")
        for other in ("2", "2.5", "[[1], [2]]", "[[1.0], [2.0]]", "np.float32(2)")
    ],
    *[f"{_INTS} {operator} [[1, 2], [3, 4]]" for operator in ("==", "!=", "*")],
    *[f"{_TEXTS} {more}" for more in ("+ 'x'", "== 'a'", "!= 'a'", f"+ {_TEXTS}", "+ 1")],
    *[f"tf.add({args})" for args in (f"{_TEXTS}, 'x'", f"'x', {_TEXTS}", f"{_TEXTS}, {_TEXTS}")],
    *[
        f"tf.where(tf.ragged.constant([[True, False], [True]]), {x}, {y})"
        for x, y in ((_TEXTS, _TEXTS), (_TEXTS, "'q'"), (_INTS, "2.5"), (_INTS, "2"))
    ],
    *[
        f"tf.{call}"
        for call in (
            f"convert_to_tensor({_INTS})", f"convert_to_tensor({_FLOATS}, tf.float32)",
            f"constant({_INTS})",
        )
    ],
]  # fmt: skip

_PLACES = "tf.ragged.constant([[1, 0], [0], [0, 0, 1]])"
_DEEP_PLACES = "tf.ragged.constant([[[1, 0], [0]], [[0]], [[0], [], [1]]])"
_FOUR = "tf.ragged.constant([[[[1, 2], [3]], [[4]]], [[[5]], [[6, 7], [8, 9], [10]]]])"
_THREE = "tf.ragged.constant([[[1, 2], [3]], [[4, 5, 6]], [[7], [], [8, 9]]])"

CASES += [  # axes behind the batch, indices of more dimensions, axes that do not exist
    *[
        f"tf.gather({_THREE}, {args})"
        for args in (
            "[0, 0, 2], batch_dims=1", "0, axis=2", "[0, 0, 1], axis=2, batch_dims=1",
            "[0, 0, 0], axis=2, batch_dims=1", f"{_PLACES}, axis=1, batch_dims=1",
            "tf.ragged.constant([[0], [0], [0, 0]]), axis=2, batch_dims=1",
            f"{_DEEP_PLACES}, axis=2, batch_dims=2", f"{_DEEP_PLACES}, axis=1, batch_dims=1",
            "tf.ragged.constant([[0, 0], [0, 0], [0]]), axis=2, batch_dims=2",
            "[0, 0, 0], batch_dims=2", "[0], axis=3", "[0], axis=-4", "0, batch_dims=1",
            "[0, 0, 0], axis=0, batch_dims=1",
        )
    ],
    *[
        f"tf.gather({_FOUR}, {args})"
        for args in (
            "[0, 1], axis=2, batch_dims=1", "[0, 0], axis=3, batch_dims=1",
            "tf.ragged.constant([[0, 0], [0, 1]]), axis=2, batch_dims=2",
            "tf.ragged.constant([[0, 0], [0, 1]]), axis=3, batch_dims=2", "0, axis=3",
        )
    ],
    *[
        f"tf.gather(i32(2, 3, 4), {args})"
        for args in (
            "tf.ragged.constant([[0], [0, 1]]), axis=2, batch_dims=1",
            "tf.ragged.constant([[[0], [1, 1], [2]], [[2], [1], [0, 0]]]), axis=2, batch_dims=1",
            "tf.ragged.constant([[[0], [1, 1], [2]], [[2], [1], [0, 0]]]), axis=1, batch_dims=1",
            "tf.RaggedTensor.from_tensor(i32(2, 2, 3), ragged_rank=1) % 3, axis=1",
        )
    ],
    "tf.gather(tf.RaggedTensor.from_tensor(i32(2, 3, 4)), [0, 1], axis=2, batch_dims=1)",
]  # fmt: skip
CASES += [
    "tf.strings.reduce_join(tf.ragged.constant([[1, 2], [3]]), axis=1)",
    *[
        f"tf.nn.experimental.stateless_dropout(tf.ragged.constant({rows}), 0.5, [1, 2])"
        for rows in ("[[1.0, 2.0], [], [3.0]]", "[[[1.0, 2.0]], [], [[3.0, 4.0]]], ragged_rank=1")
    ],
    "tf.nn.dropout(tf.ragged.constant([[1.0, 2.0], [], [3.0]]), 0.0)",
    "tf.nn.dropout(tf.ragged.constant([[1.0, 2.0], [], [3.0]]), 0.5, noise_shape=[3, 1])",
    "tf.nn.dropout(tf.ragged.constant([[1, 2], [3]]), 0.5)",
]
CASES += [
    f"tf.reduce_{how}(tf.RaggedTensor.from_row_lengths("
    "np.array([2**64 - 1, 3, 7, 2**63], np.uint64), [2, 0, 2]), 1)"
    for how in ("max", "min", "sum", "mean")
]
_A = "tf.ragged.constant([[3, 1, 2], [], [5, 4]])"
_B = "tf.ragged.constant([[[1.0, 2.0], [3.0]], [], [[4.0, 5.0, 6.0]]])"
_C = "tf.RaggedTensor.from_row_lengths(f32(4, 2), [1, 0, 3])"
_D = "tf.RaggedTensor.from_row_lengths(f32(4, 2, 2), [1, 0, 3])"
_IDS = "tf.ragged.constant([[0, 2, 1], [], [2, 2]])"
CASES += [
    *[
        f"tf.gather({params}, {indices}, batch_dims={batch_dims})"
        for params in (_A, _B, _C)
        for indices, batch_dims in (
            ("[0, 0, 2]", -1), ("[[0], [0], [0]]", -2),
            ("tf.ragged.constant([[[0], []], [], [[0]]])", -3),
        )
    ],
    *[
        f"tf.clip_by_value({value}, 2, 4)"
        for value in (_A, "tf.ragged.constant([[[1, 9]], []])")
    ],
    *[f"tf.math.unsorted_segment_{how}({data}, {ids}, 3)"
      for how in ("sum", "prod", "max", "min", "mean")
      for data, ids in (
          (_A, "[2, 0, 2]"), (_A, _IDS), (_B, "[1, 1, 1]"), (_B, "[0, 1]"), (_C, "[2, 0, 2]"),
          (_A, "[2, 0, 3]"), (_A, "[2, 0, -1]"), ("i32(3, 3)", _IDS),
      )],
    *[f"tf.math.unsorted_segment_sqrt_n({data}, [2, 0, 2], 3)" for data in (_B, _C)],
    *[f"tf.dynamic_partition({data}, {ids}, 3)"
      for data in (_A, _B, _C) for ids in ("[2, 0, 2]", _IDS, "[0, 1]", "[0, 1, 3]", "1")],
    *[f"tf.ragged.stack_dynamic_partitions({data}, {ids}, 3)"
      for data, ids in (
          (_A, "[2, 0, 2]"), (_A, _IDS), (_B, "[1, 1, 0]"), (_C, "[2, 0, 2]"),
          ("i32(2, 2)", "[0, 2]"),
          ("i32(2, 2)", "[[0, 2], [2, 1]]"), ("i32(2, 2, 3)", "[[0, 2], [2, 1]]"), (_A, "2"),
          ("i32(2, 2)", "[[0, 2]]"), (_A, "[0, 1]"), (_A, "[0, -1, 1]"), (_A, "[0, 3, 1]"),
          (_B, _IDS), (_A, "tf.constant([0, 1, 1], tf.int64)"), ("i32(2)", "[0.0, 1.0]"),
      )],
    *[f"tf.gather_nd({params}, {indices})"
      for params in (_A, _B, _C) for indices in (
          "tf.zeros([0], tf.int32)", "tf.zeros([2, 0], tf.int32)", "tf.zeros([2, 3, 0], tf.int32)",
          "tf.zeros([1, 5], tf.int32)", "tf.zeros([], tf.int32)", "tf.ragged.constant([[0], [1]])",
          "tf.ragged.constant([[[0], [2]], [[0]]], ragged_rank=1)",
      )],
    f"tf.gather_nd({_A}, [[0]], batch_dims=1)",
    f"tf.gather_nd({_A}, [[0]], bad_indices_policy='IGNORE')",
    *[f"tf.{how}([{value}, {value}], axis={axis})"
      for how in ("concat", "stack") for value in (_C, _D) for axis in (0, 1, 2, 3)],
    *[f"tf.ragged.stack([{one}, {other}], axis={axis})"
      for one, other in (
          ("f32(3, 2)", "f32(2, 3)"), ("f32(2, 3)", "f32(2, 3)"), ("f32(2, 3, 4)", "f32(2, 2, 4)"),
          (_A, f"{_A}[::-1]"), (_B, f"{_B}[::-1]"),
      ) for axis in (0, 1, 2)],
    "tf.ragged.stack([f32(3, 2)])",
    *[f"tf.tile({value}, {times})"
      for value in (_A, _B, _C) for times in ([2], [1, 2], [2, 1, 2], [1, 1, 1, 1])],
    f"tf.reverse({_A}, [])",
    *[f"tf.strings.reduce_join(tf.strings.as_string({value}), axis={axis}, separator=',')"
      for value in (_A, _B, _C, _D) for axis in (0, 1, 2)],
    *[f"tf.ragged.cross([tf.strings.as_string({value})])" for value in (_A, _B)],
    "tf.nn.embedding_lookup(f32(10, 2), tf.RaggedTensor.from_row_lengths(i32(4, 2), [1, 0, 3]))",
    "tf.RaggedTensor.from_tensor(tf.zeros([2, 0]), padding=0.0)",
]  # fmt: skip
_M = "tf.RaggedTensor.from_row_lengths(f32(3, 2), [2, 1])"
_N = "tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]])"
_P = "tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0], [4.0, 4.0]], [[5.0], [6.0]]])"
_U = "tf.RaggedTensor.from_uniform_row_length(f32(4, 2), 2)"
_W = "tf.RaggedTensor.from_row_lengths(f32(3, 2, 4), [1, 2])"
_V = "tf.ragged.constant([[[[1.0, 2.0], [3.0, 4.0]]], [[[5.0, 6.0]], [[1.0, 1.0], [0.0, 1.0]]]])"
CASES += [
    *[f"tf.matmul({a}, {b}{turns})"
      for a in (_M, _N, _P, _U) for b in (_M, _P, _U, "f32(2, 2, 3)", "f32(2, 3, 2)")
      for turns in ("", ", transpose_a=True", ", transpose_b=True")],
    *[f"tf.matmul({a}, {b}{turns})"
      for a in (_W, _V) for b in (_W, _V, "f32(2, 2, 4, 3)")
      for turns in ("", ", transpose_a=True", ", transpose_b=True")],
    f"tf.matmul(f32(2, 3, 2), {_M}, transpose_b=True)",
    "tf.matmul(tf.ragged.constant([[1.0, 2.0], [3.0, 4.0]]), f32(2, 3))",
    "tf.matmul(tf.ragged.constant([[1.0, 2.0], [3.0]]), f32(2, 3))",
    "tf.matmul(tf.ragged.constant([[[1.0, 2.0], [3.0]], []]), f32(2, 2, 3))",
    f"tf.matmul({_M}, f32(2, 2))", f"tf.matmul({_M}, tf.ones([2, 2, 2], tf.float64))",
    f"tf.matmul({_M}, f32(3, 2, 3))", f"tf.matmul({_M}, {_M}, transpose_b=True, adjoint_b=True)",
    f"tf.matmul(tf.complex({_M}, {_M}), tf.complex({_M}, 2 * {_M}), adjoint_b=True)",
    f"tf.matmul(tf.complex({_M}, {_M}), tf.complex({_M}, 2 * {_M}), transpose_b=True)",
    *[f"{_A}.to_tensor(shape={shape})" for shape in (
        "tf.constant([2, -1])", "tf.constant(-1)", "[2, tf.constant(2)]", "tf.constant([2])",
        "[None, -1]", "tf.TensorShape(None)",
    )],
    f"{_C}.to_tensor([1.0, 2.0, 3.0])", f"{_C}.to_tensor([1.0, 2.0])", f"{_C}.to_tensor([[1.0]])",
]  # fmt: skip
CASES += [
    f"tf.ragged.constant({rows}, {args})"
    for rows in (
        "[]", "[[], []]", "[[[]]]", "[[1, 2], [3]]", "[[[1, 2]], []]",
        "[[[1, 2], [3, 4]], [[5, 6]]]",
        "12",
    )
    for args in (
        "ragged_rank=1", "ragged_rank=2", "ragged_rank=3", "ragged_rank=-1", "inner_shape=(2,)",
        "inner_shape=(0,)", "ragged_rank=1, inner_shape=(2,)", "ragged_rank=1, inner_shape=(1,)",
        "ragged_rank=0, inner_shape=(2,)", "ragged_rank=2, inner_shape=(2,)",
        "ragged_rank=1, inner_shape=()", "row_splits_dtype=tf.int32",
    )
]  # fmt: skip

_TENSOR = "tf.RaggedTensor.from_tensor"
CASES += [
    *[
        f"tf.ragged.range({bounds})"
        for bounds in (
            "[0], [[1]]",
            "[0, 1], [1, 2, 3]",
            "[0, 3], [1]",
            "[0, 3], [1], 1",
            "0.0, float('inf')",
            "0, 5, 0",
        )
    ],
    *[
        f"{_TENSOR}({given})"
        for given in (
            "[[1, 2, 3]], lengths=[1.5]",
            "[[1, 2, 3]], lengths=[[1], [1]]",
            "[[1, 2, 3]], ragged_rank=2",
            "[[[1, 2]]], lengths=([1], [1]), ragged_rank=3",
            "[[[[1, 2]]]], lengths=([1], [1], [2]), ragged_rank=2",
        )
    ],
    *[
        f"tf.ragged.constant([[1, 2], [3]]).bounding_shape(axis={axis})"
        for axis in (
            "1",
            "np.int64(1)",
            "tf.constant(0)",
            "[1]",
            "np.array([0, 1])",
        )
    ],
    "tf.sparse.bincount(tf.ragged.constant([[1, 2], [3]]), weights=tf.ragged.constant([[1], [2, 3]]))",
    "tf.sparse.bincount(tf.ragged.constant([[1, 2], [3]]), weights=tf.ragged.constant([[1], [2, 3, 4]]))",
    "tf.experimental.RowPartition.from_row_splits(np.array([0, 1], np.int32)).row_splits()",
]

CASES += [
    f"tf.matmul({a}, {b})"
    for ragged, array in (
        ("tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]]], ragged_rank=1)", "np.ones((1, 2, 2))"),
    )
    for a, b in (
        (ragged, array), (array, ragged), (ragged, "np.ones((1, 2, 2), np.float32)"),
    )
]  # fmt: skip
